#include "ic/sphere/spherical_system.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

namespace gothic::ic {
namespace {

constexpr double four_pi = 4 * std::numbers::pi;
constexpr std::size_t radii = 4096;
constexpr double innermost_in_scales = 1e-7;

/// Cusps whose potential diverges at the centre, from gamma = 2 on, get a deep one instead.
constexpr double shallowest_moment = 0.02;

RadialGrid make_grid(const std::vector<DensityProfile>& profiles) {
  double inner = profiles.front().scale(), outer = 0;
  for (const DensityProfile& profile : profiles) {
    inner = std::min(inner, profile.scale());
    outer = std::max(outer, profile.outer_radius());
  }
  return {innermost_in_scales * inner, outer, radii};
}

/// The integrals of 4 pi rho r^power dr from the centre to every radius of the grid, and to
/// infinity.
struct Moment {
  std::vector<double> within;
  double total = 0;
};

Moment radial_moment(const RadialGrid& grid, const DensityProfile& profile, int power) {
  const auto integrand = [&](double t) {  // per dt = dr / r
    const double r = std::exp(t);
    return four_pi * profile(r) * std::pow(r, power + 1);
  };
  Moment moment;
  // Pure power laws inside the grid and, unless the density has fallen faster than any, outside.
  const double inner_slope = profile.slope(grid.radius(0));
  const double centre = integrand(grid.t(0)) / std::max(power + 1 - inner_slope, shallowest_moment);
  moment.within = integrals_to(grid, integrand, centre);
  moment.total = moment.within.back();
  const double outer_slope = profile.slope(std::exp(grid.last_t()));
  if (outer_slope > power + 1) {
    moment.total += integrand(grid.last_t()) / (outer_slope - power - 1);
  }
  return moment;
}

}  // namespace

DensityProfile::DensityProfile(const Component& component)
    : shape_(component.shape),
      scale_(component.scale),
      cutoff_(component.cutoff),
      cutoff_width_(component.cutoff_width),
      outer_radius_(scale_ * shape_->reach()) {
  if (cutoff_ > 0) outer_radius_ = std::min(outer_radius_, cutoff_ + 12 * cutoff_width_);
}

double DensityProfile::mass() const { return radial_moment(make_grid({*this}), *this, 2).total; }

double DensityProfile::mass(double radius) const {
  return radial_moment({innermost_in_scales * scale(), radius, radii}, *this, 2).within.back();
}

DensityProfile DensityProfile::with_mass(double mass) const {
  DensityProfile result = *this;
  result.rho0_ *= mass / this->mass();
  return result;
}

Jet DensityProfile::jet(double radius) const {
  const Jet shape = shape_->jet(radius / scale_);
  const Jet g{rho0_ * shape.value, rho0_ / scale_ * shape.first,
              rho0_ / (scale_ * scale_) * shape.second};
  if (cutoff_ == 0) return g;
  const double y = (radius - cutoff_) / (2 * cutoff_width_);
  const double value = std::erfc(y) / 2;
  const double first = -std::exp(-y * y) / (2 * cutoff_width_ * std::sqrt(std::numbers::pi));
  const double second = -y / cutoff_width_ * first;
  return {g.value * value, g.first * value + g.value * first,
          g.second * value + 2 * g.first * first + g.value * second};
}

double DensityProfile::slope(double radius) const {
  const Jet rho = jet(radius);
  return rho.value > 0 ? -rho.first * radius / rho.value : 0;
}

std::vector<DensityProfile> sphere_profiles(const Model& model) {
  std::vector<DensityProfile> profiles;
  for (const Component& component : model.components) {
    if (component.is_disc()) continue;
    profiles.push_back(DensityProfile(component).with_mass(component.mass));
  }
  return profiles;
}

SphericalSystem::SphericalSystem(std::vector<DensityProfile> profiles,
                                 double gravitational_constant)
    : grid_(make_grid(profiles)), gravity_(gravitational_constant), profiles_(std::move(profiles)) {
  const std::size_t n = grid_.size();
  std::vector<double> mass(n), mass_slope(n), deficit(n), deficit_slope(n);
  for (const DensityProfile& profile : profiles_) {
    const Moment second = radial_moment(grid_, profile, 2);
    const Moment first = radial_moment(grid_, profile, 1);

    std::vector<double> slope(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double r = grid_.radius(i);
      slope[i] = four_pi * profile(r) * r * r * r;
      mass[i] += second.within[i];
      mass_slope[i] += slope[i];
      // D(r) = G integral of M / r^2, by parts.
      deficit[i] += gravity_ * (first.within[i] - second.within[i] / r);
      deficit_slope[i] += gravity_ * second.within[i] / r;
    }
    central_potential_ += gravity_ * first.total;
    component_mass_.emplace_back(grid_, second.within, slope);
    total_masses_.push_back(second.total);
  }
  total_mass_ = RadialTable(grid_, mass, mass_slope);
  deficit_ = RadialTable(grid_, deficit, deficit_slope);
}

double SphericalSystem::radius_of_mass(std::size_t component, double mass) const {
  return std::exp(component_mass_[component].inverse(mass));
}

double SphericalSystem::density_beside(std::size_t component, double radius) const {
  double sum = 0;
  for (std::size_t k = 0; k < profiles_.size(); ++k) {
    if (k != component) sum += profiles_[k](radius);
  }
  return sum;
}

double SphericalSystem::virial(std::size_t component) const {
  double sum = 0;
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    const double t = grid_.t(i), r = std::exp(t);
    sum += four_pi * r * r * profiles_[component](r) * mass(t);
  }
  return -gravity_ * sum * grid_.step();
}

}  // namespace gothic::ic
