#pragma once

#include "core/engine/engine.hpp"
#include "files/hdf5.hpp"

namespace gothic {

/// Seconds of the stages of a force, and counters: the attributes of /Timing.
files::Attributes timing_of(const TreeForces& found, int threads);
files::Attributes timing_of(const DirectForces& found, int threads);

}  // namespace gothic
