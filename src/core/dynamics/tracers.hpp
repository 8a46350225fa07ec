#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/dynamics/bodies.hpp"
#include "core/gravity/external_field.hpp"

/// The energy of each particle, which is conserved where none has a mass and the field is static.
namespace gothic {

/// How far the energies of particles are from those at the start, each in units of the present sum
/// of its kinetic and its absolute potential energy. Not a number where energies of single
/// particles are not conserved.
struct TracerErrors {
  double rms = std::numeric_limits<double>::quiet_NaN(), largest = rms;
};

/// v^2 / 2 and phi of a particle.
struct SpecificEnergy {
  double kinetic, potential;

  GOTHIC_HD SpecificEnergy(const Vec4& position, const Vec4& v, const ExternalField& field)
      : kinetic(0.5 * (double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z)),
        potential(field.template at<double>(position).potential) {}

  GOTHIC_HD double total() const { return kinetic + potential; }
  GOTHIC_HD double scale() const { return kinetic + std::fabs(potential); }
};

/// Finds the energies of all particles.
/// \param energy [n] result, in the order of the input
template <class Device>
void find_energies(Device& device, const Bodies<Device>& bodies, const ExternalField& field,
                   double* energy) {
  const Vec4 *const position = bodies.position.data(), *const velocity = bodies.velocity.data();
  const std::uint32_t* const slot = bodies.slot.data();
  device.for_each(bodies.size(), [=] GOTHIC_HD(std::size_t i) {
    energy[slot[i]] = SpecificEnergy(position[i], velocity[i], field).total();
  });
}

namespace detail {

struct ErrorSums {
  double squares = 0, largest = 0;
};

}  // namespace detail

/// The errors of the particles, all of which must be at the same time.
/// \param first [n] their energies at the start, in the order of the input
template <class Device>
TracerErrors tracer_errors(Device& device, const Bodies<Device>& bodies, const ExternalField& field,
                           const double* first) {
  const Vec4 *const position = bodies.position.data(), *const velocity = bodies.velocity.data();
  const std::uint32_t* const slot = bodies.slot.data();
  using Sums = detail::ErrorSums;
  const Sums sums = device.reduce(
      bodies.size(), Sums{0, 0},
      [=] GOTHIC_HD(std::size_t i) {
        const SpecificEnergy now(position[i], velocity[i], field);
        const double change = std::fabs(now.total() - first[slot[i]]);
        const double error = change > 0 ? change / now.scale() : 0;
        return Sums{error * error, error};
      },
      [] GOTHIC_HD(const Sums& a, const Sums& b) {
        return Sums{a.squares + b.squares, a.largest > b.largest ? a.largest : b.largest};
      });
  return {std::sqrt(sums.squares / bodies.size()), sums.largest};
}

}  // namespace gothic
