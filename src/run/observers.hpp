#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/simulation.hpp"
#include "core/observers/observer.hpp"

/// What a run measures and writes. An observer of the particles on the device is an entry of
/// core/observers/device_observers.hpp; one of steps is an entry of observers.cpp.
/// Logs, checkpoints, restarts, the Python package and the reference follow from the entries.
namespace gothic {

const std::vector<ObserverOf<StepRecord>>& step_observers();

/// All observers: of steps, of particles, of samples of the forces.
const std::vector<Observer>& observers();

}  // namespace gothic
