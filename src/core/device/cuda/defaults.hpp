#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/launch_sizes.hpp"

namespace gothic::cuda {

/// Sizes that decide the speed of the walk and not its result, as measured on an H200 with an NFW
/// sphere of 2^23 particles and accuracies of 2^-2 to 2^-19.
struct Defaults {
  static constexpr int bundle_size = 1;      ///< groups that walk together as far as they agree
  static constexpr int most_per_lane = 2;    ///< particles of a group that one lane has
  static constexpr int direct_per_lane = 4;  ///< the same in direct sums
  /// Seconds of a pair whose source acts to each order, over those of a pair of points, minus one.
  /// Fits to walks of M31 and NFW on an H100 give 2.0 to 2.4 times for quadrupoles, and for
  /// octupoles 2.7 times as many as for quadrupoles.
  static constexpr double extra_cost[] = {0, 1.4, 5.4};
  /// Octupoles act from this accuracy of the acceleration criterion on.
  static constexpr float octupole_accuracy = 0x1p-10F;
  static constexpr std::uint32_t group_size = 32;
  /// Measured with 2^6 to 2^23 active particles of NFW and M31 with 2^17, 2^20 and 2^23.
  static constexpr SizeStep group_steps[] = {
      {0, 1}, {1.4, 4}, {12, 8}, {22, 16}, {110, group_size}, {500, 64, octupole_accuracy}};
  static constexpr SizeStep leaf_steps[] = {{0, 16}, {0, 32, 0x1p-16F}};
  static constexpr std::uint32_t list_capacity = 160;  ///< sources that a warp sums at a time
  /// Pairs that could be summed while a tree is built: for every particle, and besides.
  static constexpr double build_cost = 210, build_overhead = 3e8;

  /// Threads of a block that runs warps. Few, so that few tasks spread over many multiprocessors.
  static constexpr int warp_threads = 64;
  /// Threads of a block that runs one index per thread.
  static constexpr int index_threads = 256;
  /// Most threads of a block. A multiprocessor has 65536 registers: 64 for each of so many threads.
  static constexpr int most_threads = 1024;
  /// Registers of a thread where warps take tasks and Scratch names no number.
  static constexpr int warp_registers = 72;

  static constexpr std::uint32_t key_block = 1;  ///< keys that one call makes
};

}  // namespace gothic::cuda
