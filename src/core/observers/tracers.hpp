#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/device/combine.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/gravity/external_field.hpp"
#include "core/observers/particles_view.hpp"

/// The energy of each particle, which is conserved where none has a mass and the field is static.
namespace gothic {

/// Changes of the particles' energies since the start, each in units of the present sum of the
/// particle's kinetic and absolute potential energy. Not a number where energies of single
/// particles are not conserved.
struct TracerErrors {
  double rms = std::numeric_limits<double>::quiet_NaN(), largest = rms;
};

/// v^2 / 2 and phi of a particle.
struct SpecificEnergy {
  double kinetic, potential;

  GOTHIC_HD SpecificEnergy(const Vec4& position, const Vec4& v, const ExternalField& field,
                           double time)
      : kinetic(0.5 * (double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z)),
        potential(field.template at<double>(position, time).potential) {}

  GOTHIC_HD double total() const { return kinetic + potential; }
  GOTHIC_HD double scale() const { return kinetic + std::fabs(potential); }
};

/// Keeps the energies that all particles have now in a field, Bodies::first_energy.
template <class Device>
void keep_energies(Device& device, Bodies<Device>& bodies, const ExternalField& field,
                   double time) {
  bodies.add_energies();
  const Vec4 *const position = bodies.position.data(), *const velocity = bodies.velocity.data();
  double* const energy = bodies.first_energy->data();
  device.for_each(bodies.size(), [=] GOTHIC_DEVICE(std::size_t i) {
    energy[i] = SpecificEnergy(position[i], velocity[i], field, time).total();
  });
}

namespace detail {

struct ErrorSums {
  double squares = 0, largest = 0, particles = 0;

  GOTHIC_HD friend ErrorSums operator+(const ErrorSums& a, const ErrorSums& b) {
    return {a.squares + b.squares, a.largest > b.largest ? a.largest : b.largest,
            a.particles + b.particles};
  }
};

}  // namespace detail

/// The errors of the particles of all ranks.
template <class Device>
TracerErrors tracer_errors(const ParticlesView<Device>& particles) {
  if (particles.has_masses) return {};
  const Vec4 *const position = particles.position, *const velocity = particles.velocity;
  const double* const first = particles.first_energy;
  const ExternalField field = particles.external;
  const double time = particles.time;
  using Sums = detail::ErrorSums;
  const Sums sums = particles.reduce(
      Sums{},
      [=] GOTHIC_DEVICE(std::size_t i) {
        const SpecificEnergy now(position[i], velocity[i], field, time);
        const double change = std::fabs(now.total() - first[i]);
        const double error = change > 0 ? change / now.scale() : 0;
        return Sums{error * error, error, 1};
      },
      Sum{});
  return {std::sqrt(sums.squares / sums.particles), sums.largest};
}

}  // namespace gothic
