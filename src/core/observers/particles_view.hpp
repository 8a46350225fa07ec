#pragma once

#include <cstdint>
#include <span>

#include "core/device/vec4.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/gravity/external_field.hpp"
#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"
#include "core/observers/observer.hpp"

namespace gothic {

/// The particles of a rank on a device, to be read, in any order. Observers see them when all of
/// them are at one time.
template <class Device>
struct ParticlesView {
  static constexpr Schedule schedule = Schedule::synchronised;

  Device& device;
  std::uint32_t size;         ///< number of particles n of this rank
  const Vec4* position;       ///< [n] position, mass
  const Vec4* velocity;       ///< [n] velocity, see `remembered2`
  const Vec4* acceleration;   ///< [n] acceleration, potential; those of the external field included
  const std::uint32_t* slot;  ///< [n] place of the particle in the input of all ranks
  const float* softening;     ///< [n] lengths; null if all have the same
  const double* first_energy;  ///< [n] energy at the start, over the mass, where none has a mass
  bool has_masses = true;      ///< whether some particle of some rank has a mass
  ExternalField external{};
  std::int64_t step = 0;  ///< number of steps so far
  double time = 0;
  Communicator& ranks;

  /// A reduction over the particles of all ranks.
  /// \param value takes the index of a particle of this rank, on the device
  /// \param combine takes two values, on the device and on the host
  template <class T, class Of, class Combine>
  T reduce(T identity, Of value, Combine combine) const {
    return reduce_all(device, ranks, size, identity, value, combine);
  }
};

/// The particles of a rank on a device at the present time, to which those that are not due are
/// predicted.
template <class Device>
struct StateView {
  static constexpr Schedule schedule = Schedule::states;

  Device& device;
  std::uint32_t size;              ///< number of particles n of this rank
  const Vec4* position;            ///< [n] position, mass
  const std::uint32_t* slot;       ///< [n] place of the particle in the input of all ranks
  const std::uint32_t* component;  ///< [n] one of `components`, cast to be unsigned
  std::span<const std::int32_t> components;  ///< numbers of those of all ranks, ascending
  std::int64_t step = 0;                     ///< number of steps so far
  double time = 0;
  Communicator& ranks;
};

/// The particles as they are in memory, on the part of one rank.
template <class Device>
ParticlesView<Device> view_of(Device& device, const Bodies<Device>& bodies,
                              Communicator& ranks = one_rank()) {
  const bool has_masses = bodies.first_energy == nullptr;
  return {.device = device,
          .size = bodies.size(),
          .position = bodies.position.data(),
          .velocity = bodies.velocity.data(),
          .acceleration = bodies.acceleration.data(),
          .slot = bodies.slot.data(),
          .softening = bodies.softening != nullptr ? bodies.softening->data() : nullptr,
          .first_energy = has_masses ? nullptr : bodies.first_energy->data(),
          .has_masses = has_masses,
          .ranks = ranks};
}

}  // namespace gothic
