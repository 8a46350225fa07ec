#include "run/lagrangian_radii.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace gothic {

namespace {

using Point = std::array<double, 3>;

double distance2(const files::Vec3& r, const Point& center) {
  const double x = r[0] - center[0], y = r[1] - center[1], z = r[2] - center[2];
  return x * x + y * y + z * z;
}

/// Radii within which are the masses `wanted`, ascending, of shells that lie beyond others of the
/// mass `before`. Sorts no more than it needs.
void select(std::span<Shell> shells, double before, std::span<const double> wanted,
            std::span<double> radii) {
  if (wanted.empty()) return;
  if (shells.size() == 1) {
    std::ranges::fill(radii, std::sqrt(double{shells.front().radius2}));
    return;
  }
  const std::size_t half = shells.size() / 2;
  std::ranges::nth_element(shells, shells.begin() + std::ptrdiff_t(half), {}, &Shell::radius2);
  const std::span<Shell> inner = shells.first(half), outer = shells.subspan(half);
  double boundary = before;
  for (const Shell& shell : inner) boundary += double{shell.mass};
  const auto in_inner = std::size_t(std::ranges::upper_bound(wanted, boundary) - wanted.begin());
  select(inner, before, wanted.first(in_inner), radii.first(in_inner));
  select(outer, boundary, wanted.subspan(in_inner), radii.subspan(in_inner));
}

/// The particles that have mass; all if none has.
std::vector<std::uint32_t> heavy_ones(const files::Particles& particles) {
  std::vector<std::uint32_t> heavy;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.mass[i] > 0) heavy.push_back(std::uint32_t(i));
  }
  if (heavy.empty()) {
    heavy.resize(particles.size());
    std::iota(heavy.begin(), heavy.end(), 0U);
  }
  return heavy;
}

/// Every k-th of them, so that there are not many.
std::vector<std::uint32_t> thinned(const std::vector<std::uint32_t>& all) {
  constexpr std::size_t many = std::size_t(1) << 17;
  std::vector<std::uint32_t> some;
  for (std::size_t i = 0; i < all.size(); i += 1 + (all.size() - 1) / many) some.push_back(all[i]);
  return some;
}

/// Centre of mass; particles count alike if they have no mass.
Point center_of(const files::Particles& particles, const std::vector<std::uint32_t>& chosen) {
  double mass = 0;
  Point sum{};
  for (const std::uint32_t i : chosen) {
    const double m = particles.mass[i] > 0 ? particles.mass[i] : 1;
    mass += m;
    for (int axis = 0; axis < 3; ++axis) sum[axis] += m * particles.position[i][axis];
  }
  for (double& coordinate : sum) coordinate /= mass;
  return sum;
}

}  // namespace

Point densest_point(const files::Particles& particles) {
  constexpr double shrink = 0.8 * 0.8, least_share = 0.001;
  constexpr std::size_t least_count = 64;
  std::vector<std::uint32_t> all = heavy_ones(particles), inside = thinned(all);
  const auto least = std::max(least_count, std::size_t(least_share * double(inside.size())));
  double radius2 = std::numeric_limits<double>::infinity();
  Point center = center_of(particles, inside);
  const auto from_center2 = [&](std::uint32_t i) {
    return distance2(particles.position[i], center);
  };
  const auto is_outside = [&](std::uint32_t i) { return from_center2(i) > radius2; };
  while (inside.size() > least) {
    double largest2 = 0;
    for (const std::uint32_t i : inside) largest2 = std::max(largest2, from_center2(i));
    if (!(largest2 > 0)) return center;
    radius2 = shrink * std::min(radius2, largest2);
    std::erase_if(inside, is_outside);
    if (inside.empty()) return center;
    center = center_of(particles, inside);
  }
  std::erase_if(all, is_outside);
  return all.empty() ? center : center_of(particles, all);
}

std::vector<double> enclosing_radii(std::span<Shell> shells, std::span<const double> fractions) {
  double whole = 0;
  for (const Shell& shell : shells) whole += double{shell.mass};
  if (whole == 0) {
    for (Shell& shell : shells) shell.mass = 1;
    whole = double(shells.size());
  }
  constexpr double rounding = 1e-12;  // of sums
  std::vector<double> wanted, radii(fractions.size());
  for (const double fraction : fractions) wanted.push_back(fraction * whole * (1 - rounding));
  select(shells, 0, wanted, radii);
  return radii;
}

std::vector<LagrangianRadii> lagrangian_radii(const files::Particles& particles,
                                              const Point& center) {
  std::map<std::int32_t, std::vector<Shell>> components;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    components[particles.component[i]].push_back(
        {float(distance2(particles.position[i], center)), particles.mass[i]});
  }
  std::vector<LagrangianRadii> result;
  for (auto& [component, shells] : components) {
    LagrangianRadii radii{.component = component};
    for (const Shell& shell : shells) radii.mass += double{shell.mass};
    std::ranges::copy(enclosing_radii(shells, lagrange_fractions), radii.radius.begin());
    result.push_back(radii);
  }
  return result;
}

}  // namespace gothic
