#pragma once

#include <cstdint>
#include <vector>

namespace gothic {

/// The cells of the own tree that other ranks may open, rank after rank.
struct OpenedCells {
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> counts;  ///< [ranks]; empty if nothing is known
};

}  // namespace gothic
