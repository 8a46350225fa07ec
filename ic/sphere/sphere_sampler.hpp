#pragma once

#include <optional>

#include "ic/random.hpp"
#include "ic/sphere/distribution_function.hpp"

namespace gothic::ic {

/// Draws particles of a sphere: r from the mass within it, u from f(Q) u^2, both by inverting the
/// cumulative distribution, and isotropic directions of r and u. With an anisotropy radius the
/// tangential velocity is the tangential part of u over sqrt(1 + r^2 / r_a^2); see
/// DistributionFunction.
class SphereSampler {
 public:
  explicit SphereSampler(const DistributionFunction& f, unsigned threads = 1);

  struct Star {
    files::Vec3 position, velocity;
  };

  /// The fraction of the mass within a particle's radius, and the fraction of the particles at this
  /// radius that have a smaller u. Both are in (0, 1).
  struct Fractions {
    double mass, speed;
  };

  /// Particle number `star`, with the given fractions or with random ones.
  Star operator()(const Random& random, std::uint64_t star,
                  const std::optional<Fractions>& given = {}) const;

  /// The u at radius exp(t) that a fraction q, 0 < q < 1, of the particles does not reach, within
  /// 2e-4 of SpeedDistribution.
  double speed(double t, double q) const;

 private:
  double radius_within(double mass_fraction) const;  // returns ln r

  const DistributionFunction* f_;
  QuantileTable speeds_;
  double cusp_;                        // d ln r / d ln M within the grid
  std::vector<double> mass_;           // mass within each radius of the system's grid
  std::vector<std::ptrdiff_t> guide_;  // places in mass_ of even fractions of the total
};

}  // namespace gothic::ic
