#pragma once

#include <cstddef>
#include <vector>

#include "ic/distribution_function.hpp"

namespace gothic::ic {

/// The distribution of speeds at one radius: density f u^2 over u, on points from u = 0 to the
/// escape speed, where u is the speed or, with an anisotropy radius, what DistributionFunction
/// says.
class SpeedDistribution {
 public:
  SpeedDistribution(const SphericalSystem& system, const DistributionFunction& f, double t);

  /// The speed that a fraction q of the particles does not reach.
  double quantile(double q) const;

  /// The integral of f over all velocities: the density that f gives at this radius.
  double density() const;

  /// Radial velocity dispersion.
  double dispersion() const;
  /// Velocity dispersion in one tangential direction; that of the radial, if isotropic.
  double tangential_dispersion() const;

 private:
  double stretch_;
  std::vector<double> speed_;
  std::vector<double> within_;  // integral of f u^2 du up to that speed
  std::vector<double> rate_;    // d within / dw, where w numbers the points
};

/// Speeds (u) of a component as a function of ln r and of the fraction of the particles that are
/// slower, for drawing: quick, and within 2e-4 of SpeedDistribution.
class VelocityQuantiles {
 public:
  VelocityQuantiles(const SphericalSystem& system, const DistributionFunction& f,
                    unsigned threads = 1);

  /// The speed at radius exp(t) that a fraction q, 0 < q < 1, of the particles does not reach.
  double operator()(double t, double q) const;

 private:
  RadialGrid rows_;
  std::vector<float> speed_;  // row by row, one row per radius
};

}  // namespace gothic::ic
