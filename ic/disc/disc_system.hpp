#pragma once

#include <cstddef>
#include <vector>

#include "ic/disc/multipole_potential.hpp"
#include "ic/disc/thick_disc.hpp"
#include "ic/sphere/spherical_system.hpp"

namespace gothic::ic {

/// The discs of a model in the gravity of all its components, settled by iteration: densities from
/// the potential, then the potential from the densities.
class DiscSystem {
 public:
  /// Throws InputError if a disc is too thin to be resolved or if the discs do not settle.
  /// \param spheres the spheres of the model; null if it has none
  DiscSystem(const Model& model, const SphericalSystem* spheres, unsigned threads);

  double gravitational_constant() const { return gravity_; }

  /// Discs are numbered in the order of the model.
  std::size_t size() const { return discs_.size(); }
  std::size_t component(std::size_t disc) const { return component_[disc]; }
  const ThickDisc& disc(std::size_t disc) const { return discs_[disc]; }

  /// Phi(R, z = 0) of all components at the rows of a disc's grid, zero at infinity.
  const std::vector<double>& mid_plane(std::size_t disc) const { return mid_plane_[disc]; }

  /// Phi(R, z) of all discs at these z >= 0.
  std::vector<double> disc_potential(double axis_distance,
                                     const std::vector<double>& heights) const;
  /// Phi(R, z) of all components at these z >= 0.
  std::vector<double> potential(double axis_distance, const std::vector<double>& heights) const;

  /// The density of a disc, averaged over spheres.
  DensityProfile spherical_average(std::size_t disc) const;

  /// Number of rounds in which the discs settled.
  unsigned rounds() const { return rounds_; }

 private:
  std::vector<double> measure_rise(std::size_t disc, unsigned threads);
  double sphere_potential(double radius) const;
  double sphere_rise(double axis_distance, double height) const;

  double gravity_;
  const SphericalSystem* spheres_;
  std::vector<std::size_t> component_;
  std::vector<ThickDisc> discs_;
  std::vector<MultipolePotential> potentials_;  // for G = 1
  std::vector<std::vector<double>> mid_plane_;
  unsigned rounds_ = 0;
};

}  // namespace gothic::ic
