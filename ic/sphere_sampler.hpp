#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ic/distribution_function.hpp"
#include "ic/random.hpp"
#include "ic/velocity_quantiles.hpp"

namespace gothic::ic {

/// Draws particles of a sphere: r from the mass within it, u from f(Q) u^2, both by inverting the
/// cumulative distribution, and isotropic directions of r and u. With an anisotropy radius the
/// tangential velocity is that of u divided by sqrt(1 + r^2 / r_a^2); see DistributionFunction.
class SphereSampler {
 public:
  explicit SphereSampler(const DistributionFunction& f, unsigned threads = 1);

  /// Position and velocity of a particle.
  struct Star {
    files::Vec3 position, velocity;
  };

  /// Particle number `star`.
  Star operator()(const Random& random, std::uint64_t star) const;

  /// The same with given fractions, in (0, 1), of the mass within its radius and of the particles
  /// there that have a smaller u.
  Star at(double mass_fraction, double speed_fraction, const Random& random,
          std::uint64_t star) const;

 private:
  double radius_within(double mass_fraction) const;  // as ln r

  const DistributionFunction* f_;
  VelocityQuantiles speed_;
  double cusp_;                        // d ln r / d ln M within the grid
  std::vector<double> mass_;           // within the radii of the system's grid
  std::vector<std::ptrdiff_t> guide_;  // where to look for even fractions of the total
};

}  // namespace gothic::ic
