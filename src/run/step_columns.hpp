#pragma once

#include <vector>

#include "core/engine/simulation.hpp"
#include "core/observers/observer.hpp"

namespace gothic {

/// The columns of a StepRecord.
const std::vector<ColumnOf<StepRecord>>& step_columns();

}  // namespace gothic
