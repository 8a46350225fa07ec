#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/simulation.hpp"
#include "core/messages/communicator.hpp"
#include "core/observers/observer.hpp"
#include "core/particles.hpp"
#include "files/snapshot.hpp"

/// What a run measures and writes. An observer of the particles on the device is an entry of
/// core/observers/device_observers.hpp; one of steps or of states is an entry of observers.cpp.
/// Logs, checkpoints, restarts, the Python package and the reference follow from the entries.
namespace gothic {

/// A state on the host, in the order of the input, as it goes into snapshots.
struct SavedState {
  static constexpr Schedule schedule = Schedule::states;

  std::int64_t step;
  const files::Snapshot& snapshot;  ///< part of this rank, with components
  const Forces& forces;             ///< on its particles
  Communicator& ranks;
};

const std::vector<ObserverOf<StepRecord>>& step_observers();
const std::vector<ObserverOf<SavedState>>& state_observers();

/// All observers: of steps, of particles, of samples of the forces, of states.
const std::vector<Observer>& observers();

}  // namespace gothic
