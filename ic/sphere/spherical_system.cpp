#include "ic/sphere/spherical_system.hpp"

#include <numbers>
#include <utility>

namespace gothic::ic {
namespace {

constexpr double four_pi = 4 * std::numbers::pi;

}  // namespace

std::vector<DensityProfile> sphere_profiles(const Model& model) {
  std::vector<DensityProfile> profiles;
  for (const Component& component : model.components) {
    if (component.is_disc()) continue;
    profiles.push_back(component.density_profile().with_mass(component.mass));
  }
  return profiles;
}

SphericalSystem::SphericalSystem(std::vector<DensityProfile> profiles,
                                 double gravitational_constant)
    : grid_(grid_for(profiles)), gravity_(gravitational_constant), profiles_(std::move(profiles)) {
  const std::size_t n = grid_.size();
  std::vector<double> mass(n), mass_slope(n), deficit(n), deficit_slope(n);
  for (const DensityProfile& profile : profiles_) {
    const RadialMoment second = profile.moment(grid_, 2);
    const RadialMoment first = profile.moment(grid_, 1);

    std::vector<double> slope(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double r = grid_.radius(i);
      slope[i] = four_pi * profile(r) * r * r * r;
      mass[i] += second.within[i];
      mass_slope[i] += slope[i];
      // D(r) is the integral of G M / r^2, taken by parts.
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
