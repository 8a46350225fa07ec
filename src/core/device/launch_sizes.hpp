#pragma once

#include <cstdint>

namespace gothic {

/// Threads of the blocks of a GPU's kernels: powers of two from 32 to 1024, or 0 for the device's
/// default. The CPU knows no blocks.
struct BlockSizes {
  /// Where warps take tasks; at most 896, or 512 where many registers are wanted.
  int warp_threads = 0;
  int index_threads = 0;  ///< where each thread has an index
};

/// Size of the groups of a step from so many active particles per warp on.
struct GroupStep {
  double active_per_warp;
  std::uint32_t size;
};

}  // namespace gothic
