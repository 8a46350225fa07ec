#pragma once

#include <vector>

#include "core/observers/observer.hpp"

namespace gothic {

/// All device_observers() and state_observers() without their functions: they are the same on all
/// devices.
const std::vector<Observer>& particle_observers();

}  // namespace gothic
