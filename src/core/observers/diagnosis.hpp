#pragma once

#include <cmath>

#include "core/observers/one_particle.hpp"
#include "core/observers/particles_view.hpp"

namespace gothic {

/// Root mean squares of all particles.
struct Roughness {
  double acceleration = 0;
  double change = 0;  ///< of the acceleration in the particle's last step
};

namespace detail {

/// Sums of squares, and how many there are.
struct Squares {
  double acceleration = 0, change = 0, particles = 0;
};

}  // namespace detail

/// How strongly the particles are pulled, and how much that changes in a step.
template <class Device>
Roughness roughness(const ParticlesView<Device>& particles) {
  using detail::Squares;
  const Vec4 *const acceleration = particles.acceleration, *const velocity = particles.velocity;
  const Squares sums = particles.reduce(
      Squares{},
      [=] GOTHIC_HD(std::size_t i) {
        const double x = acceleration[i].x, y = acceleration[i].y, z = acceleration[i].z,
                     change = velocity[i].w;
        return Squares{x * x + y * y + z * z, change * change, 1};
      },
      [] GOTHIC_HD(const Squares& a, const Squares& b) {
        return Squares{a.acceleration + b.acceleration, a.change + b.change,
                       a.particles + b.particles};
      });
  return {std::sqrt(sums.acceleration / sums.particles), std::sqrt(sums.change / sums.particles)};
}

/// What explains why a run is slow, inexact or has failed.
struct Diagnosis {
  OneParticle shortest;      ///< wants the shortest step
  double shortest_step = 0;  ///< that step, in units of time; infinite for none
  OneParticle not_finite;  ///< first in the input that is not finite; slot `none` if all are finite
  Roughness roughness;
};

}  // namespace gothic
