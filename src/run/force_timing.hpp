#pragma once

#include "core/engine/engine.hpp"
#include "files/hdf5.hpp"

namespace gothic {

/// The counts of the process so far, as attributes of /Timing.
files::Attributes work_of_process();

/// Seconds of the stages of a force, and counters: the attributes of /Timing.
files::Attributes timing_of(const TreeForces& found, int threads);
files::Attributes timing_of(const DirectForces& found, int threads);

}  // namespace gothic
