#pragma once

#include <vector>

#include "ic/lowered_isothermal.hpp"
#include "ic/meridional_grid.hpp"
#include "ic/surface_density.hpp"

namespace gothic::ic {

/// The density of a disc: at each R the stars are a lowered isothermal sheet in the potential that
/// they feel, of which rho(R, z_d) = rho(R, 0) / e and which ends at 10 z_d. Where the potential
/// rises far above that of z_d, nearly everywhere, this is
///
///   rho(R, z) = rho0(R) exp(-(Phi(R, z) - Phi(R, 0)) / (Phi(R, z_d) - Phi(R, 0)))
///
/// (Miki & Umemura 2018). Where it does not, as within a bulge that is no larger than
/// z_d, that formula has no end; there the sheet is kept bound, E_t >= 8 s^2, and is thinner.
class ThickDisc {
 public:
  /// With a self-gravitating sheet, rho ~ sech^2, to start from.
  ThickDisc(const Component& component, double gravitational_constant);

  const Component& component() const { return component_; }
  const SurfaceDensity& surface() const { return surface_; }
  const MeridionalGrid& grid() const { return grid_; }

  /// Takes the potential above that of z = 0 at the points of the grid and settles in it. Returns
  /// the largest change of the potential at the height z_d, relative.
  double settle(std::vector<double> rise);

  /// rho(R, z), z >= 0.
  double density(double axis_distance, double height) const;

  /// Phi(R, z) - Phi(R, 0) on the grid.
  const std::vector<double>& rise() const { return rise_; }
  double rise(const MeridionalGrid::Place& place) const { return grid_.at(rise_, place); }

  /// The sheet at a row of the grid, or at any place.
  LoweredIsothermal sheet(std::size_t row) const;
  LoweredIsothermal sheet(const MeridionalGrid::Place& place) const;

  /// rho / Sigma on the grid.
  std::vector<double> relative_density() const;

 private:
  LoweredIsothermal settled(std::size_t row) const;
  double rise_at_scale(std::size_t row) const;

  Component component_;
  SurfaceDensity surface_;
  MeridionalGrid grid_;
  MeridionalGrid::Place at_scale_height_;  // of which only the columns are used
  std::vector<double> rise_;
  std::vector<double> top_, log_variance_, log_norm_;  // E_t, ln s^2, ln rho / (Sigma sheet)
};

}  // namespace gothic::ic
