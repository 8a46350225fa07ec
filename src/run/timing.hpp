#pragma once

#include "core/engine/direct.hpp"
#include "core/gravity/force_solver.hpp"
#include "files/attribute.hpp"

/// What is told of the cost of forces, under the names that files and Python have for it: seconds
/// of the stages, and counters.
namespace gothic {

/// \param bootstrap seconds of the force that tells the criterion the accelerations
files::Attributes timing_of(const ForceCost& cost, double bootstrap, int threads);
files::Attributes timing_of(const DirectResult& result);

}  // namespace gothic
