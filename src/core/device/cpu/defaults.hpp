#pragma once

#include <cstdint>

#include "core/device/cpu/simd.hpp"
#include "core/device/launch_sizes.hpp"

namespace gothic::cpu {

/// Sizes that decide the speed of the walk and not its result, as measured on an AVX-512 core with
/// NFW spheres of 2^17 and 2^20 particles at equal 99 % force errors.
struct Defaults {
  static constexpr int bundle_size = 4;    ///< groups that walk together as far as they agree
  static constexpr int most_per_lane = 4;  ///< particles of a group that one lane may have: 1, 2, 4
  static constexpr int direct_per_lane = 2;  ///< the same in direct sums
  static constexpr std::uint32_t group_size = Float::size() >= 8 ? 32 : 16;
  static constexpr SizeStep group_steps[] = {{0, group_size}};
  static constexpr SizeStep leaf_steps[] = {{0, 32}};
  /// Seconds of a pair whose source acts to each order, over those of a pair of points, minus one.
  /// Fits to walks of M31 and NFW with 2^20 particles give 2.4 to 2.7 times for quadrupoles and 8.5
  /// times for octupoles.
  static constexpr double extra_cost[] = {0, 1.4, 7.5};
  /// Octupoles act from this accuracy of the acceleration criterion on.
  static constexpr float octupole_accuracy = 0x1p-10F;
  static constexpr std::uint32_t list_capacity = 512;  ///< sources that a warp sums at a time
  static constexpr std::uint32_t key_block = 256;      ///< keys that one call makes
  /// Pairs that could be summed while a tree is built: for every particle, and besides.
  static constexpr double build_cost = 200, build_overhead = 0;
};

}  // namespace gothic::cpu
