#include "ic/spherical_system.hpp"

#include <algorithm>
#include <numbers>

#include "ic/quadrature.hpp"

namespace gothic::ic {
namespace {

constexpr double four_pi = 4 * std::numbers::pi;
constexpr std::size_t radii = 4096;
constexpr double innermost_in_scales = 1e-7;

RadialGrid make_grid(const Model& model) {
  double inner = model.components.front().scale, outer = 0;
  for (const Component& component : model.components) {
    inner = std::min(inner, component.scale);
    outer = std::max(outer, DensityProfile(component).outer_radius());
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
  static const GaussRule<7> rule;
  const auto integrand = [&](double t) {  // per dt = dr / r
    const double r = std::exp(t);
    return four_pi * profile(r) * std::pow(r, power + 1);
  };
  Moment moment;
  // Pure power laws inside the grid and, where there is no cutoff, outside.
  moment.within.push_back(integrand(grid.t(0)) / (power + 1 - profile.inner_slope()));
  for (std::size_t i = 1; i < grid.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < rule.node.size(); ++k) {
      sum += rule.weight[k] * integrand(grid.t(i - 1) + grid.step() * rule.node[k]);
    }
    moment.within.push_back(moment.within.back() + grid.step() * sum);
  }
  moment.total = moment.within.back();
  if (profile.component().cutoff == 0) {
    moment.total += integrand(grid.last_t()) / (profile.outer_slope() - power - 1);
  }
  return moment;
}

}  // namespace

SphericalSystem::SphericalSystem(const Model& model)
    : grid_(make_grid(model)), gravity_(model.units.gravitational_constant()) {
  const std::size_t n = grid_.size();
  std::vector<double> mass(n), mass_slope(n), deficit(n), deficit_slope(n);
  for (const Component& component : model.components) {
    DensityProfile profile(component);
    profile.set_rho0(component.mass / radial_moment(grid_, profile, 2).total);
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
    profiles_.push_back(std::move(profile));
  }
  total_mass_ = RadialTable(grid_, mass, mass_slope);
  deficit_ = RadialTable(grid_, deficit, deficit_slope);
}

double SphericalSystem::radius_of_mass(std::size_t component, double mass) const {
  return std::exp(component_mass_[component].inverse(mass));
}

double SphericalSystem::density(double radius) const {
  double sum = 0;
  for (const DensityProfile& profile : profiles_) sum += profile(radius);
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
