#pragma once

#include "core/engine/engine.hpp"
#include "files/hdf5.hpp"

/// What is told of the cost of forces, under the names that files and Python have for it: seconds
/// of the stages, and counters.
namespace gothic {

files::Attributes timing_of(const TreeForces& found, int threads);
files::Attributes timing_of(const DirectForces& found, int threads);

}  // namespace gothic
