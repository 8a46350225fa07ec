#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/observers/observer.hpp"
#include "run/lagrangian_radii.hpp"
#include "run/observers.hpp"

namespace gothic {

/// Radii of one component.
struct LagrangeRecord {
  std::int64_t step = 0;
  double time = 0;
  std::array<double, 3> center{};
  LagrangianRadii radii;
};

/// The columns of a LagrangeRecord.
const std::vector<ColumnOf<LagrangeRecord>>& lagrange_columns();

/// The records of all components in one state.
std::vector<LagrangeRecord> lagrange_records(const SavedState& state);

}  // namespace gothic
