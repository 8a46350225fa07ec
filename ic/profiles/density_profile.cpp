#include "ic/profiles/density_profile.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

namespace gothic::ic {
namespace {

constexpr double four_pi = 4 * std::numbers::pi;
constexpr std::size_t radii = 4096;
constexpr double innermost_in_scales = 1e-7;

/// A cusp with gamma >= 2 has a potential that diverges at the centre; it gets a deep finite one.
constexpr double shallowest_moment = 0.02;

}  // namespace

DensityProfile::DensityProfile(Parts parts)
    : parts_(std::move(parts)), outer_radius_(parts_.scale * parts_.shape->reach()) {
  if (parts_.cutoff > 0) {
    outer_radius_ = std::min(outer_radius_, parts_.cutoff + 12 * parts_.cutoff_width);
  }
}

double DensityProfile::mass() const { return moment(grid_for({*this}), 2).total; }

double DensityProfile::mass(double radius) const {
  return moment({innermost_in_scales * scale(), radius, radii}, 2).within.back();
}

DensityProfile DensityProfile::with_mass(double mass) const {
  DensityProfile result = *this;
  result.rho0_ *= mass / this->mass();
  return result;
}

Jet DensityProfile::jet(double radius) const {
  const auto& [shape, scale, cutoff, width] = parts_;
  const Jet unit = shape->jet(radius / scale);
  const Jet g{rho0_ * unit.value, rho0_ / scale * unit.first,
              rho0_ / (scale * scale) * unit.second};
  if (cutoff == 0) return g;
  const double y = (radius - cutoff) / (2 * width);
  const double value = std::erfc(y) / 2;
  const double first = -std::exp(-y * y) / (2 * width * std::sqrt(std::numbers::pi));
  const double second = -y / width * first;
  return {g.value * value, g.first * value + g.value * first,
          g.second * value + 2 * g.first * first + g.value * second};
}

double DensityProfile::slope(double radius) const {
  const Jet rho = jet(radius);
  return rho.value > 0 ? -rho.first * radius / rho.value : 0;
}

RadialMoment DensityProfile::moment(const RadialGrid& grid, int power) const {
  const auto integrand = [&](double t) {  // per dt = dr / r
    const double r = std::exp(t);
    return four_pi * jet(r).value * std::pow(r, power + 1);
  };
  RadialMoment result;
  // Within the grid's first radius rho is taken as a power law; also beyond its last one, unless
  // the density has fallen faster than any power.
  const double inner_slope = slope(grid.radius(0));
  const double centre = integrand(grid.t(0)) / std::max(power + 1 - inner_slope, shallowest_moment);
  result.within = integrals_to(grid, integrand, centre);
  result.total = result.within.back();
  const double outer_slope = slope(std::exp(grid.last_t()));
  if (outer_slope > power + 1) {
    result.total += integrand(grid.last_t()) / (outer_slope - power - 1);
  }
  return result;
}

RadialGrid grid_for(const std::vector<DensityProfile>& profiles) {
  double inner = profiles.front().scale(), outer = 0;
  for (const DensityProfile& profile : profiles) {
    inner = std::min(inner, profile.scale());
    outer = std::max(outer, profile.outer_radius());
  }
  return {innermost_in_scales * inner, outer, radii};
}

}  // namespace gothic::ic
