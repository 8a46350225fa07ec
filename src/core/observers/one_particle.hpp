#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/device/combine.hpp"
#include "core/dynamics/integrator.hpp"
#include "core/observers/particles_view.hpp"

/// Single particles that explain why a run is slow or has failed.
namespace gothic {

/// A particle at its own time.
struct OneParticle {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t slot = none;  ///< place in the input; none if there is no such particle
  Vec4 position{};            ///< position, mass
  Vec4 velocity{};            ///< velocity, see `remembered2`
  Vec4 acceleration{};        ///< acceleration, potential
  float softening = 0;        ///< length; 0 for that of all
};

namespace detail {

/// The state of particle i.
struct ParticleReader {
  const Vec4 *position, *velocity, *acceleration;
  const std::uint32_t* slot;
  const float* softening;

  template <class Device>
  explicit ParticleReader(const ParticlesView<Device>& particles)
      : position(particles.position),
        velocity(particles.velocity),
        acceleration(particles.acceleration),
        slot(particles.slot),
        softening(particles.softening) {}

  GOTHIC_HD OneParticle operator()(std::size_t i) const {
    return {slot[i], position[i], velocity[i], acceleration[i],
            softening != nullptr ? softening[i] : 0};
  }
};

}  // namespace detail

/// The step that a particle wants; infinite for none.
GOTHIC_HD inline double step_of(const OneParticle& particle, const StepRule& rule) {
  if (particle.slot == OneParticle::none) return std::numeric_limits<double>::infinity();
  return rule.wanted(particle.position, particle.velocity, particle.acceleration,
                     particle.softening);
}

/// Which of two particles wants the shorter step; of equal ones that which comes first in the
/// input.
struct ShorterStep {
  StepRule rule;

  GOTHIC_HD OneParticle operator()(const OneParticle& a, const OneParticle& b) const {
    const double one = step_of(a, rule), other = step_of(b, rule);
    return one < other || (!(other < one) && a.slot < b.slot) ? a : b;
  }
};

namespace detail {

/// A particle of this rank by its index. A reduction has only this, not the whole particle, which
/// would make it large code that compiles for minutes.
struct Candidate {
  double key = std::numeric_limits<double>::infinity();
  std::uint32_t slot = OneParticle::none;
  std::uint32_t index = 0;

  GOTHIC_HD friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.key < b.key || (!(b.key < a.key) && a.slot < b.slot);
  }
};

/// The particle of this rank with the smallest key; among equal ones that which comes first in the
/// input.
/// \param candidate takes the index of a particle, on the device; gives Candidate{} for one that is
/// out of the question
template <class Device, class Of>
OneParticle smallest(const ParticlesView<Device>& particles, Of candidate) {
  const Candidate found =
      particles.device.reduce(particles.size, Candidate{}, candidate, Smaller{});
  if (found.slot == OneParticle::none) return {};
  const ParticleReader read(particles);
  typename Device::template Buffer<OneParticle> particle(1);
  OneParticle* const to = particle.data();
  particles.device.for_each(1, [=] GOTHIC_DEVICE(std::size_t) { *to = read(found.index); });
  return particle.downloaded().front();
}

}  // namespace detail

/// The particle of this rank that wants the shortest step; among equal ones that which comes first
/// in the input. The particles may be at different times.
template <class Device>
OneParticle shortest_step(const ParticlesView<Device>& particles, const StepRule& rule) {
  const detail::ParticleReader read(particles);
  return detail::smallest(particles, [=] GOTHIC_DEVICE(std::size_t i) {
    const OneParticle particle = read(i);
    return detail::Candidate{step_of(particle, rule), particle.slot, std::uint32_t(i)};
  });
}

/// The particle of all ranks that comes first in the input among those whose position, velocity or
/// acceleration is not finite.
template <class Device>
OneParticle first_not_finite(const ParticlesView<Device>& particles) {
  const detail::ParticleReader read(particles);
  const OneParticle own = detail::smallest(particles, [=] GOTHIC_DEVICE(std::size_t i) {
    const OneParticle particle = read(i);
    const Vec4 r = particle.position, v = particle.velocity, a = particle.acceleration;
    // A sum of products with zero is zero unless something is not finite.
    const float zero = 0 * r.x + 0 * r.y + 0 * r.z + 0 * v.x + 0 * v.y + 0 * v.z + 0 * a.x +
                       0 * a.y + 0 * a.z + 0 * a.w;
    return zero == 0 ? detail::Candidate{} : detail::Candidate{0, particle.slot, std::uint32_t(i)};
  });
  return combined(particles.ranks, own, [](const OneParticle& a, const OneParticle& b) {
    return b.slot < a.slot ? b : a;
  });
}

}  // namespace gothic
