#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ic/disc_kinematics.hpp"
#include "ic/random.hpp"

namespace gothic::ic {

/// Draws stars of a disc: R from the mass within it, z from the vertical profile, velocities from
/// DiscKinematics, all below the escape speed.
class DiscSampler {
 public:
  DiscSampler(const ThickDisc& disc, const DiscKinematics& kinematics);

  /// Position and velocity of a star.
  struct Star {
    io::Vec3 position, velocity;
  };

  /// Star number `star`.
  Star operator()(const Random& random, std::uint64_t star) const;

  /// |z| below which a fraction q, 0 <= q <= 1, of the stars at this R are.
  double height(double axis_distance, double q) const;

 private:
  struct Velocity {
    double radial, around, up;
  };
  Velocity draw(const DiscKinematics::Motion& motion, const Random& random,
                std::uint64_t star) const;

  const ThickDisc* disc_;
  const DiscKinematics* kinematics_;
  std::vector<float> heights_;  // row by row of the disc's grid, one for each level of q
};

}  // namespace gothic::ic
