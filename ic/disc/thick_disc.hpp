#pragma once

#include <vector>

#include "ic/disc/meridional_grid.hpp"
#include "ic/model.hpp"
#include "ic/radial_table.hpp"

namespace gothic::ic {

/// The surface density of a disc, normalised to its mass, where g is its shape:
///
///   Sigma(R) = Sigma0 g(R / scale) erfc((R - cutoff) / (2 width)) / 2.
class SurfaceDensity {
 public:
  /// Throws InputError for a table that falls too slowly to be of use without cutoff.
  explicit SurfaceDensity(const Component& disc);

  double operator()(double radius) const;

  /// Sigma0: the surface density at the centre without cutoff; for a table, 1 in its units.
  double central() const { return central_; }

  /// Mass within the cylinder of this radius, and radius of the cylinder that holds this mass.
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
/// energy E = Phi(z) - Phi(0) + v^2 / 2 < E_t; the model of King (1966) is its counterpart in three
/// dimensions. If E_t >> s^2 this is the isothermal sheet, whose density is
/// exp(-(Phi(z) - Phi(0)) / s^2).
struct LoweredIsothermal {
  double variance = 1;  ///< s^2
  double top = 1;       ///< E_t

  /// Density (up to a factor) and mean square velocity where the potential has risen by `rise`.
  double density(double rise) const;
  double mean_square_velocity(double rise) const;
};

/// The density of a disc: at each R the stars are a lowered isothermal sheet in the potential that
/// they feel. It has rho(R, z_d) = rho(R, 0) / e and ends at 10 z_d. Where the potential rises far
/// above its value at z_d, which is nearly everywhere, the density is
///
///   rho(R, z) = rho0(R) exp(-(Phi(R, z) - Phi(R, 0)) / (Phi(R, z_d) - Phi(R, 0)))
///
/// (Miki & Umemura 2018). Where the potential does not rise so far, as within a bulge that is no
/// larger than z_d, this formula has no end; there the sheet is kept bound, E_t >= 8 s^2, and is
/// thinner.
class ThickDisc {
 public:
  /// The disc starts out as a self-gravitating sheet, rho ~ sech^2.
  ThickDisc(const Component& component, double gravitational_constant);

  const Component& component() const { return component_; }
  const SurfaceDensity& surface() const { return surface_; }
  const MeridionalGrid& grid() const { return grid_; }

  /// Settles the disc in a potential. Returns the largest relative change of the potential at the
  /// height z_d.
  /// \param rise Phi(R, z) - Phi(R, 0) at the points of the grid
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
  MeridionalGrid::Place at_scale_height_;  // only its columns are used
  std::vector<double> rise_;
  std::vector<double> top_, log_variance_, log_norm_;  // E_t, ln s^2, ln rho / (Sigma sheet)
};

}  // namespace gothic::ic
