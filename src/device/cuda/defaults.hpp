#pragma once

#include <cstddef>
#include <cstdint>

namespace gothic::cuda {

/// Sizes that decide the speed of the walk and not its result.
struct Defaults {
  static constexpr int bundle_size = 1;    ///< groups that walk together as far as they agree
  static constexpr int most_per_lane = 2;  ///< particles of a group that one lane has
  static constexpr std::uint32_t group_size = 32;
  static constexpr std::uint32_t smallest_group = 2;  ///< where few particles are active
  static constexpr std::uint32_t leaf_capacity = 16;
  static constexpr double build_cost = 200;  ///< pairs per particle while a tree is built

  /// Sources that a warp sums at a time.
  static constexpr std::uint32_t source_capacity = 256;
  /// Threads of a block that runs warps. Few, so that few tasks spread over many multiprocessors.
  static constexpr int warp_threads = 64;
  /// Such blocks that a multiprocessor is to hold: 24 warps of up to 80 registers.
  static constexpr int warp_blocks = 12;
  /// Threads of a block that runs one index per thread.
  static constexpr int index_threads = 256;

  static constexpr std::uint32_t key_block = 1;  ///< keys that one call makes
};

}  // namespace gothic::cuda
