#pragma once

#include <cstdint>
#include <vector>

#include "core/device/vec4.hpp"
#include "core/named_state.hpp"
#include "core/ranks/opened_cells.hpp"

namespace gothic {

/// All that the further course of a simulation depends on besides its options.
struct SimulationState {
  // [n] in the order of the tree, each particle at the time when it was synchronised last
  std::vector<Vec4> position;        ///< position, mass
  std::vector<Vec4> velocity;        ///< velocity, change of the acceleration
  std::vector<Vec4> acceleration;    ///< acceleration, potential
  std::vector<std::uint8_t> level;   ///< of the time grid
  std::vector<std::uint32_t> slot;   ///< place of the particle in the input
  std::vector<std::uint64_t> keys;   ///< when the tree was built, ascending
  std::vector<double> first_energy;  ///< see Bodies

  // on several ranks
  std::vector<float> cost;  ///< see Bodies
  OpenedCells opened;       ///< of the tree; unknown where the ranks were others
  std::size_t input = 0;    ///< particles of the input that this rank has

  std::int64_t now = 0;  ///< time, in ticks of the time grid
  std::int64_t end = 0;  ///< no step goes beyond; see TimeGrid
  int top = 0;           ///< highest level
  std::int64_t step = 0;
  bool synchronised = true;
  NamedNumbers numbers;  ///< other times, and what was learnt from the steps
};

}  // namespace gothic
