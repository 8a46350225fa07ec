#pragma once

#include <cstddef>
#include <vector>

#include "ic/distribution_function.hpp"

namespace gothic::ic {

/// The distribution of speeds at one radius: density f v^2 over v, on points from v = 0 to the
/// escape speed.
class SpeedDistribution {
 public:
  SpeedDistribution(const SphericalSystem& system, const DistributionFunction& f, double t);

  /// The speed that a fraction q of the particles does not reach.
  double quantile(double q) const;

  /// 4 pi integral f v^2 dv: the density that f gives at this radius.
  double density() const;

  /// Velocity dispersion in one direction.
  double dispersion() const;

 private:
  std::vector<double> speed_;
  std::vector<double> within_;  // integral of f v^2 dv up to that speed
  std::vector<double> rate_;    // d within / dw, where w numbers the points
};

/// Speeds of a component as a function of ln r and of the fraction of the particles that are
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
