#pragma once

#include <vector>

#include "ic/profiles/profiles.hpp"
#include "ic/radial_table.hpp"

namespace gothic::ic {

/// The integrals of 4 pi rho r^power dr from the centre to every radius of a grid, and to infinity.
struct RadialMoment {
  std::vector<double> within;
  double total = 0;
};

/// The density of a sphere, rho0 g(r / scale) erfc((r - cutoff) / (2 width)) / 2, where g is its
/// shape.
class DensityProfile {
 public:
  /// What the density is made of, as in a model's component.
  struct Parts {
    ShapePointer shape;
    double scale = 1;
    double cutoff = 0;  ///< 0 for none
    double cutoff_width = 0;
  };

  /// The profile with rho0 = 1.
  explicit DensityProfile(Parts parts);

  /// Total mass, and mass within a radius, which is finite for every density of finite energy.
  double mass() const;
  double mass(double radius) const;

  /// The profile with the rho0 that makes its mass `mass`.
  DensityProfile with_mass(double mass) const;

  double rho0() const { return rho0_; }

  double operator()(double radius) const { return jet(radius).value; }
  Jet jet(double radius) const;

  /// The radius where the density bends: the scale times the size of the shape.
  double scale() const { return parts_.scale * parts_.shape->size(); }

  /// -d ln rho / d ln r; 0 where there is no density.
  double slope(double radius) const;

  /// The radius beyond which the mass does not matter: 12 widths beyond the cutoff, where erfc is
  /// 2e-17, or the reach of the shape if that is less.
  double outer_radius() const { return outer_radius_; }

  RadialMoment moment(const RadialGrid& grid, int power) const;

 private:
  Parts parts_;
  double rho0_ = 1;
  double outer_radius_;
};

/// The radii for tables of these profiles, at least one: from far within the shortest scale to the
/// largest outer radius.
RadialGrid grid_for(const std::vector<DensityProfile>& profiles);

}  // namespace gothic::ic
