#pragma once

#include <cstdint>

#include "core/dynamics/sorted_particles.hpp"
#include "core/dynamics/time_grid.hpp"

namespace gothic {

/// The state of particles that are advanced in time, each at its own time.
template <class Device>
struct Bodies {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  SortedParticles<Device> particles;

  Buffer<Vec4>& position = particles.template add<Vec4>("Position", Storage::needed);
  /// velocity, see `remembered2`
  Buffer<Vec4>& velocity = particles.template add<Vec4>("Velocity", Storage::needed);
  /// acceleration, potential
  Buffer<Vec4>& acceleration = particles.template add<Vec4>("Acceleration", Storage::needed);
  /// position at the present time, mass
  Buffer<Vec4>& predicted = particles.template add<Vec4>("Predicted", Storage::none);
  /// level of the time grid
  Buffer<std::uint8_t>& level = particles.template add<std::uint8_t>("Level", Storage::needed);
  /// place of the particle in the input
  Buffer<std::uint32_t>& slot = particles.template add<std::uint32_t>("Slot", Storage::needed);
  /// number of the component, cast to an unsigned integer
  Buffer<std::uint32_t>& component =
      particles.template add<std::uint32_t>("Component", Storage::needed);

  Buffer<float>* softening = nullptr;      ///< lengths; null if all have the same
  Buffer<float>* cost = nullptr;           ///< pairs recently summed; see keep_costs
  Buffer<double>* first_energy = nullptr;  ///< at the start; see keep_energies

  /// Acceleration of active particles at the present time.
  Buffer<Vec4>& new_acceleration = particles.template workspace<Vec4>();

  std::uint32_t size() const { return particles.size(); }

  /// Adds a field of softening lengths.
  void add_softening() { softening = &particles.template add<float>("Softening", Storage::needed); }
  /// Adds a field of energies; see keep_energies.
  void add_energies() {
    first_energy = &particles.template add<double>("FirstEnergy", Storage::needed);
  }
  /// Keeps the cost of every particle, by which ranks divide them; 0 at first.
  void keep_costs(const Device& device) {
    cost = &particles.template add<float>("Cost", Storage::optional);
    fill(device, cost->data(), cost->size(), 0.0F);
  }
};

/// Puts all particles at time 0 without acceleration, and numbers them in the order of the input.
/// \param first number of the first particle
template <class Device>
void start_bodies(Device& device, Bodies<Device>& bodies, std::uint32_t first = 0) {
  Vec4* const acceleration = bodies.acceleration.data();
  std::uint8_t* const level = bodies.level.data();
  std::uint32_t* const slot = bodies.slot.data();
  device.for_each(bodies.size(), [=] GOTHIC_DEVICE(std::size_t i) {
    acceleration[i] = {};
    level[i] = 0;
    slot[i] = first + std::uint32_t(i);
  });
}

}  // namespace gothic
