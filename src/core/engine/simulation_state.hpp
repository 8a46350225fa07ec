#pragma once

#include <cstdint>
#include <vector>

#include "core/dynamics/sorted_particles.hpp"
#include "core/named_state.hpp"
#include "core/ranks/opened_cells.hpp"

namespace gothic {

/// All that the further course of a simulation depends on besides its options.
struct SimulationState {
  /// The fields of the particles, each particle at the time when it was synchronised last.
  std::vector<StoredField> fields;
  std::vector<std::uint64_t> keys;  ///< [n] of the particles when the tree was built, ascending
  std::size_t input = 0;            ///< particles of the input that this rank has
  OpenedCells opened;  ///< of the tree, on several ranks; unknown where the ranks were others

  std::int64_t now = 0;  ///< time, in ticks of the time grid
  std::int64_t end = 0;  ///< no step goes beyond; see TimeGrid
  int top = 0;           ///< highest level
  std::int64_t step = 0;
  bool synchronised = true;
  NamedNumbers numbers;  ///< other times, and what was learnt from the steps
};

}  // namespace gothic
