#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ic/disc/disc_kinematics.hpp"
#include "ic/disc/orbit_mixer.hpp"
#include "ic/random.hpp"

namespace gothic::ic {

/// Draws stars of a disc: R from the mass within it, z from the vertical profile, velocities from
/// DiscKinematics, all below the escape speed; then each star moves along its orbit to a random
/// phase. The draw has the density and the mean motions that the model asks for; the motion along
/// orbits makes it stationary. The motion also blurs the surface density. So R is drawn from a
/// surface density that is sharper by as much (Richardson 1972; Lucy 1974).
class DiscSampler {
 public:
  explicit DiscSampler(const DiscKinematics& kinematics, unsigned threads = 1);

  /// Draws the stars first, first + 1, ..., at most OrbitMixer::lanes of them. A star does not
  /// depend on which others are drawn.
  void draw(const Random& random, std::uint64_t first, std::span<files::Vec3> position,
            std::span<files::Vec3> velocity) const;

  /// A star at R before it moves along its orbit, from the random numbers of star number `star`.
  struct Star {
    std::array<double, 3> position, velocity;
  };
  Star start(const Random& random, std::uint64_t star, double axis_distance) const;

  /// |z| below which a fraction q, 0 <= q <= 1, of the stars at this R are before they move.
  double height(double axis_distance, double q) const;

 private:
  void tabulate_heights();
  void sharpen(unsigned threads);
  std::vector<double> blur(std::size_t ring) const;
  double axis_distance(double fraction) const;
  double radius_within(double fraction) const;

  const ThickDisc* disc_;
  const DiscKinematics* kinematics_;
  OrbitMixer mixer_;
  QuantileTable heights_;
  std::vector<double> within_;  // fraction of the stars to draw within each ring
};

}  // namespace gothic::ic
