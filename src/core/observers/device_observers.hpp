#pragma once

#include <vector>

#include "core/observers/energy.hpp"
#include "core/observers/lagrangian_radii.hpp"
#include "core/observers/observer.hpp"
#include "core/observers/particles_view.hpp"

namespace gothic {

/// What is measured on devices, whenever all particles are at one time.
template <class Device>
const std::vector<ObserverOf<ParticlesView<Device>>>& device_observers() {
  using View = ParticlesView<Device>;
  static const std::vector<ObserverOf<View>> all = {observer<View>(
      "energy", "a row whenever all particles are at one time", energy_columns(), energy<Device>)};
  return all;
}

/// What is measured on devices in every state that a run takes.
template <class Device>
const std::vector<ObserverOf<StateView<Device>>>& state_observers() {
  using View = StateView<Device>;
  static const std::vector<ObserverOf<View>> all = {observer<View>(
      "lagrange", "a row for each component at the start, with every snapshot and at the end",
      lagrange_columns(), lagrangian_radii<Device>)};
  return all;
}

}  // namespace gothic
