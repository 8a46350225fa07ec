#pragma once

#include <cmath>
#include <cstdint>

#include "core/dynamics/bodies.hpp"

/// Single particles that explain why a run is slow or has failed.
namespace gothic {

/// A particle at its own time.
struct OneParticle {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t slot = none;  ///< place in the input; none if there is no such particle
  Vec4 position{};            ///< position, mass
  Vec4 velocity{};            ///< velocity, change of the acceleration in the last step
  Vec4 acceleration{};        ///< acceleration, potential
};

namespace detail {

/// The state of particle i.
struct ParticleReader {
  const Vec4 *position, *velocity, *acceleration;
  const std::uint32_t* slot;

  template <class Device>
  explicit ParticleReader(const Bodies<Device>& bodies)
      : position(bodies.position.data()),
        velocity(bodies.velocity.data()),
        acceleration(bodies.acceleration.data()),
        slot(bodies.slot.data()) {}

  GOTHIC_HD OneParticle operator()(std::size_t i) const {
    return {slot[i], position[i], velocity[i], acceleration[i]};
  }
};

}  // namespace detail

/// The particle that wants the shortest step; among equal ones that which comes first in the input.
template <class Device>
OneParticle most_accelerated(Device& device, const Bodies<Device>& bodies) {
  return device.reduce(bodies.size(), OneParticle{}, detail::ParticleReader(bodies),
                       [] GOTHIC_HD(const OneParticle& a, const OneParticle& b) {
                         const float one = step_acceleration2(a.acceleration, a.velocity);
                         const float other = step_acceleration2(b.acceleration, b.velocity);
                         const bool first = one > other || (!(other > one) && a.slot < b.slot);
                         return first ? a : b;
                       });
}

/// The particle that comes first in the input among those whose position, velocity or acceleration
/// is not finite.
template <class Device>
OneParticle first_not_finite(Device& device, const Bodies<Device>& bodies) {
  const detail::ParticleReader read(bodies);
  return device.reduce(
      bodies.size(), OneParticle{},
      [=] GOTHIC_HD(std::size_t i) {
        OneParticle particle = read(i);
        const Vec4 r = particle.position, v = particle.velocity, a = particle.acceleration;
        // A sum of products with zero is zero unless something is not finite.
        const float zero = 0 * r.x + 0 * r.y + 0 * r.z + 0 * v.x + 0 * v.y + 0 * v.z + 0 * a.x +
                           0 * a.y + 0 * a.z + 0 * a.w;
        if (zero == 0) particle.slot = OneParticle::none;
        return particle;
      },
      [] GOTHIC_HD(const OneParticle& a, const OneParticle& b) { return b.slot < a.slot ? b : a; });
}

}  // namespace gothic
