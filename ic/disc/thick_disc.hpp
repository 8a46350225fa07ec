#pragma once

#include <vector>

#include "ic/disc/meridional_grid.hpp"
#include "ic/model.hpp"
#include "ic/radial_table.hpp"

namespace gothic::ic {

/// The surface density of a disc, normalised to its mass, with g its shape:
///
///   Sigma(R) = Sigma0 g(R / scale) erfc((R - cutoff) / (2 width)) / 2.
class SurfaceDensity {
 public:
  /// Throws InputError for a table that falls too slowly to be of use without cutoff.
  explicit SurfaceDensity(const Component& disc);

  double operator()(double radius) const;

  /// Sigma0: what the centre would have without cutoff; for a table, 1 of its units.
  double central() const { return central_; }

  /// Mass within the cylinder of this radius, and the other way round.
  double mass(double radius) const { return mass_(std::log(radius)); }
  double radius_of_mass(double mass) const { return std::exp(mass_.inverse(mass)); }

  /// Beyond this radius there is nothing.
  double outer_radius() const { return outer_; }

 private:
  ShapePointer shape_;
  double scale_, cutoff_, cutoff_width_, outer_, central_ = 1;
  RadialTable mass_;
};

/// Stars in one dimension with the distribution function exp(-E / s^2) - exp(-E_t / s^2) of the
/// energy E = Phi(z) - Phi(0) + v^2 / 2 < E_t: what King (1966) is in three. Where E_t >> s^2 it is
/// the isothermal sheet, exp(-(Phi(z) - Phi(0)) / s^2).
struct LoweredIsothermal {
  double variance = 1;  ///< s^2
  double top = 1;       ///< E_t

  /// Density where the potential has risen by `rise`, up to a factor; mean square velocity there.
  double density(double rise) const;
  double mean_square_velocity(double rise) const;
};

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
