#include "run/lagrangian_radii.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "core/messages/exchange.hpp"

namespace gothic {

namespace {

using Point = std::array<double, 3>;

double distance2(const files::Vec3& r, const Point& center) {
  const double x = r[0] - center[0], y = r[1] - center[1], z = r[2] - center[2];
  return x * x + y * y + z * z;
}

double mass_of(std::span<const Shell> shells, Communicator& ranks) {
  double mass = 0;
  for (const Shell& shell : shells) mass += double{shell.mass};
  return combined(ranks, mass, std::plus<>());
}

/// Square radii that are not negative have the order of their bits.
std::uint64_t bits_of(const Shell& shell) { return std::bit_cast<std::uint32_t>(shell.radius2); }

constexpr int digit_bits = 11;  // three digits, and not much for ranks to exchange
constexpr std::size_t digits = std::size_t(1) << digit_bits;

/// A radius that is sought, digit by digit of its square's bits.
struct Search {
  double wanted;             ///< mass within the radius
  double before = 0;         ///< mass of the shells whose first digits are smaller
  std::uint64_t prefix = 0;  ///< the first digits
};

/// Finds the next digit of all radii: a sum of masses for each value that it may have tells.
/// \param shift of that digit
void find_digit(std::span<const Shell> shells, int shift, std::span<Search> searches,
                Communicator& ranks) {
  std::vector<std::uint64_t> prefixes;
  for (const Search& search : searches) prefixes.push_back(search.prefix);
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  std::vector<double> masses(prefixes.size() * digits);
  for (const Shell& shell : shells) {
    const std::uint64_t number = bits_of(shell) >> shift;
    const auto prefix = std::ranges::find(prefixes, number / digits);
    if (prefix == prefixes.end()) continue;
    masses[std::size_t(prefix - prefixes.begin()) * digits + number % digits] += double{shell.mass};
  }
  masses = summed(ranks, masses);
  for (Search& search : searches) {
    const auto place = std::size_t(std::ranges::find(prefixes, search.prefix) - prefixes.begin());
    double within = search.before;
    for (std::size_t digit = 0; digit < digits && within < search.wanted; ++digit) {
      const double mass = masses[place * digits + digit];
      if (mass == 0) continue;
      search.prefix = prefixes[place] * digits + digit;
      search.before = within;
      within += mass;
    }
  }
}

/// A particle that counts where the system is densest.
struct Body {
  files::Vec3 position;
  float mass;
};

/// Particles that have mass, or, if there is no mass at all, all of them with the same.
class Bodies {
 public:
  Bodies(const files::Particles& particles, Communicator& ranks)
      : particles_(particles), ranks_(ranks) {
    own_ = std::size_t(std::ranges::count_if(particles.mass, [](float m) { return m > 0; }));
    all_ = combined(ranks, own_, std::plus<>());
    if (all_ > 0) return;
    alike_ = true;
    own_ = particles.size();
    all_ = combined(ranks, own_, std::plus<>());
  }

  template <class Take>
  void for_each(Take take) const {
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      const float mass = alike_ ? 1.0F : particles_.mass[i];
      if (mass > 0) take(Body{particles_.position[i], mass});
    }
  }

  /// Every k-th body of all ranks, so that there are not many.
  std::vector<Body> thinned() const {
    constexpr std::size_t many = std::size_t(1) << 17;
    const std::size_t k = 1 + (all_ - 1) / many;
    std::size_t index = offset_of(gathered(ranks_, own_), ranks_.rank());
    std::vector<Body> some;
    for_each([&](const Body& body) {
      if (index++ % k == 0) some.push_back(body);
    });
    return joined(ranks_, std::move(some));
  }

 private:
  const files::Particles& particles_;
  Communicator& ranks_;
  bool alike_ = false;
  std::size_t own_, all_;  ///< how many there are on this and on all ranks
};

/// The sums that make a centre of mass.
struct Moments {
  double mass = 0;
  Point sum{};

  void add(const Body& body) {
    mass += double{body.mass};
    for (int axis = 0; axis < 3; ++axis) sum[axis] += double{body.mass} * body.position[axis];
  }
  Point center() const { return {sum[0] / mass, sum[1] / mass, sum[2] / mass}; }
};

Moments operator+(const Moments& a, const Moments& b) {
  return {a.mass + b.mass, {a.sum[0] + b.sum[0], a.sum[1] + b.sum[1], a.sum[2] + b.sum[2]}};
}

Point center_of(std::span<const Body> bodies) {
  Moments moments;
  for (const Body& body : bodies) moments.add(body);
  return moments.center();
}

}  // namespace

Point densest_point(const files::Particles& particles, Communicator& ranks) {
  constexpr double shrink = 0.8 * 0.8, least_share = 0.001;
  constexpr std::size_t least_count = 64;
  const Bodies all(particles, ranks);
  std::vector<Body> inside = all.thinned();
  const auto least = std::max(least_count, std::size_t(least_share * double(inside.size())));
  double radius2 = std::numeric_limits<double>::infinity();
  Point center = center_of(inside);
  const auto from_center2 = [&](const Body& body) { return distance2(body.position, center); };
  const auto is_outside = [&](const Body& body) { return from_center2(body) > radius2; };
  while (inside.size() > least) {
    double largest2 = 0;
    for (const Body& body : inside) largest2 = std::max(largest2, from_center2(body));
    if (!(largest2 > 0)) return center;
    radius2 = shrink * std::min(radius2, largest2);
    std::erase_if(inside, is_outside);
    if (inside.empty()) return center;
    center = center_of(inside);
  }
  Moments within;
  all.for_each([&](const Body& body) {
    if (!is_outside(body)) within.add(body);
  });
  within = combined(ranks, within, std::plus<>());
  return within.mass == 0 ? center : within.center();
}

std::vector<double> enclosing_radii(std::vector<Shell> shells, std::span<const double> fractions,
                                    Communicator& ranks) {
  if (mass_of(shells, ranks) == 0) {
    for (Shell& shell : shells) shell.mass = 1;
  }
  constexpr double rounding = 1e-12;  // of sums
  const double whole = mass_of(shells, ranks) * (1 - rounding);
  std::vector<Search> searches;
  for (const double fraction : fractions) searches.push_back({.wanted = fraction * whole});
  for (int shift = 2 * digit_bits; shift >= 0; shift -= digit_bits) {
    find_digit(shells, shift, searches, ranks);
  }
  std::vector<double> radii;
  for (const Search& search : searches) {
    radii.push_back(std::sqrt(double{std::bit_cast<float>(std::uint32_t(search.prefix))}));
  }
  return radii;
}

std::vector<LagrangianRadii> lagrangian_radii(const files::Particles& particles,
                                              const Point& center, Communicator& ranks) {
  std::map<std::int32_t, std::vector<Shell>> components;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    components[particles.component[i]].push_back(
        {float(distance2(particles.position[i], center)), particles.mass[i]});
  }
  std::vector<std::int32_t> own;
  for (const auto& [component, shells] : components) own.push_back(component);
  // Some may be on other ranks alone.
  for (const std::int32_t component : joined(ranks, std::move(own))) components[component];
  std::vector<LagrangianRadii> result;
  for (auto& [component, shells] : components) {
    LagrangianRadii radii{.component = component, .mass = mass_of(shells, ranks)};
    std::ranges::copy(enclosing_radii(std::move(shells), lagrange_fractions, ranks),
                      radii.radius.begin());
    result.push_back(radii);
  }
  return result;
}

}  // namespace gothic
