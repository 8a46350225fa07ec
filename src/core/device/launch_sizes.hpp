#pragma once

#include <concepts>
#include <cstdint>

namespace gothic {

/// Threads of the blocks of a GPU's kernels: powers of two from 32 to 1024, or 0 for the device's
/// default. The CPU knows no blocks.
struct BlockSizes {
  /// Kernels in which warps take tasks; at most as many threads as a multiprocessor has registers
  /// for.
  int warp_threads = 0;
  int index_threads = 0;  ///< kernels in which each thread has an index
};

/// Size of groups or leaves from so many active particles per warp on, and for an accuracy of the
/// acceleration criterion up to this; 1 stands for any accuracy of any criterion.
struct SizeStep {
  double active_per_warp;
  std::uint32_t size;
  float accuracy = 1;
};

/// Whether the scratch of a warp has a place for the warp's number; see for_each_warp.
template <class Scratch>
concept NumbersWarps = requires(Scratch scratch) {
  { scratch.warp } -> std::same_as<std::uint32_t&>;
};

/// Tasks that running tasks added to the tasks of a loop; in the device's memory.
struct AddedTasks {
  std::uint64_t known_and_done;  ///< 2^32 times the tasks that may be taken, plus the tasks done
  std::uint32_t reserved;        ///< tasks that have a number: 0, 1, ...
};

}  // namespace gothic
