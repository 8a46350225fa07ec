#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/arrays.hpp"
#include "core/device/vec4.hpp"
#include "core/dynamics/time_grid.hpp"

namespace gothic {

/// State of the particles on a device, in the order of the tree, each at its own time.
template <class Device>
struct Bodies {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  Buffer<Vec4> position;       ///< [n] position, mass
  Buffer<Vec4> velocity;       ///< [n] velocity, change of the acceleration in the last step
  Buffer<Vec4> acceleration;   ///< [n] acceleration, potential
  Buffer<std::uint8_t> level;  ///< [n] of the time grid
  Buffer<std::uint32_t> slot;  ///< [n] place of the particle in the input

  bool has_cost = false;        ///< where there are several ranks
  bool has_energy = false;      ///< where no particle has a mass
  Buffer<float> cost;           ///< [n] pairs summed of late, see fade(), or [0]
  Buffer<double> first_energy;  ///< [n] at the start, or [0]

  Buffer<Vec4> predicted;         ///< [n] position at the present time, mass
  Buffer<Vec4> new_acceleration;  ///< [n] acceleration at the present time, of active particles

  Buffer<std::uint8_t> level_scratch;  ///< [n]
  Buffer<std::uint32_t> slot_scratch;  ///< [n]
  Buffer<float> cost_scratch;
  Buffer<double> energy_scratch;

  std::uint32_t size() const { return std::uint32_t(slot.size()); }

  /// Calls f(values, scratch) for every array that belongs to the particles.
  template <class F>
  void for_each_array(F f) {
    f(position, new_acceleration);
    f(velocity, new_acceleration);
    f(acceleration, new_acceleration);
    f(predicted, new_acceleration);
    f(level, level_scratch);
    f(slot, slot_scratch);
    if (has_cost) f(cost, cost_scratch);
    if (has_energy) f(first_energy, energy_scratch);
  }

  void resize(std::uint32_t n) {
    position.resize(n);
    velocity.resize(n);
    acceleration.resize(n);
    level.resize(n);
    slot.resize(n);
    predicted.resize(n);
    new_acceleration.resize(n);
    level_scratch.resize(n);
    slot_scratch.resize(n);
  }
};

/// Puts all particles at time 0 without acceleration, and numbers them in the order of the input.
/// \param first number of the first
template <class Device>
void start_bodies(Device& device, Bodies<Device>& bodies, std::uint32_t first = 0) {
  Vec4* const acceleration = bodies.acceleration.data();
  std::uint8_t* const level = bodies.level.data();
  std::uint32_t* const slot = bodies.slot.data();
  device.for_each(bodies.size(), [=] GOTHIC_HD(std::size_t i) {
    acceleration[i] = {};
    level[i] = 0;
    slot[i] = first + std::uint32_t(i);
  });
}

/// Moves particle order[i] to place i. `new_acceleration` is used as scratch.
template <class Device>
void permute(Device& device, Bodies<Device>& bodies, const std::uint32_t* order) {
  bodies.for_each_array([&](auto& values, auto& scratch) {
    scratch.resize(values.size());
    copy_in_order(device, values.data(), order, values.size(), scratch.data());
    values.swap(scratch);
  });
}

}  // namespace gothic
