#pragma once

#include <vector>

#include "ic/model.hpp"
#include "ic/profiles/density_profile.hpp"
#include "ic/radial_table.hpp"

namespace gothic::ic {

/// The components of a model in their common gravity, tabulated over radius.
///
/// Psi = -Phi is the relative potential, zero at infinity. It is kept as the deficit
/// D(r) = Psi(0) - Psi(r), whose relative error is small even where Psi is flat.
class SphericalSystem {
 public:
  /// \param profiles at least one, each with the rho0 that its mass asks for
  SphericalSystem(std::vector<DensityProfile> profiles, double gravitational_constant);

  const RadialGrid& grid() const { return grid_; }
  double gravitational_constant() const { return gravity_; }
  const std::vector<DensityProfile>& profiles() const { return profiles_; }

  /// Mass of one component, or of all components, within radius exp(t).
  double mass(std::size_t component, double t) const { return component_mass_[component](t); }
  double mass(double t) const { return total_mass_(t); }

  /// Mass of one component.
  double total_mass(std::size_t component) const { return total_masses_[component]; }

  /// Radius that holds `mass` of a component.
  double radius_of_mass(std::size_t component, double mass) const;
  /// Radius that holds `mass` of all components.
  double radius_of_mass(double mass) const { return std::exp(total_mass_.inverse(mass)); }

  /// Density of all components but one at radius r.
  double density_beside(std::size_t component, double radius) const;

  /// Psi(0). If a cusp of slope 2 or more makes Psi(0) infinite, a number above all Psi of the
  /// grid.
  double central_potential() const { return central_potential_; }
  /// D at radius exp(t), and its derivative with respect to t.
  double deficit(double t) const { return deficit_(t); }
  double deficit_slope(double t) const { return gravity_ * mass(t) / std::exp(t); }
  /// Psi at radius exp(t).
  double potential(double t) const { return central_potential_ - deficit(t); }

  /// Potential energy -integral of rho_k(r) G M(r) / r d^3r of a component in the whole system,
  /// which is its virial sum m r.a.
  double virial(std::size_t component) const;

 private:
  RadialGrid grid_;
  double gravity_;
  std::vector<DensityProfile> profiles_;
  std::vector<RadialTable> component_mass_;
  std::vector<double> total_masses_;
  RadialTable total_mass_;
  RadialTable deficit_;
  double central_potential_ = 0;
};

/// The profiles of the spheres and black holes of a model, with their masses.
std::vector<DensityProfile> sphere_profiles(const Model& model);

}  // namespace gothic::ic
