#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// What a process asks of its devices, in numbers that no noise moves: they follow from particles
/// and options.
namespace gothic {

struct WorkCounts {
  std::uint64_t launches = 0;      ///< loops, reductions, sorts and walks that were started
  std::uint64_t waits = 0;         ///< of the host, for their results or for copies
  std::uint64_t copied_bytes = 0;  ///< to, from and within the memory of devices
  std::uint64_t allocations = 0;   ///< of that memory

  /// What came since `before`.
  WorkCounts operator-(const WorkCounts& before) const {
    return {launches - before.launches, waits - before.waits, copied_bytes - before.copied_bytes,
            allocations - before.allocations};
  }
};

/// Counts for the whole process, from any thread.
class WorkCounter {
 public:
  void launch() { add(launches_, 1); }
  void wait() { add(waits_, 1); }
  void copy(std::size_t bytes) {
    add(waits_, 1);
    add(copied_bytes_, bytes);
  }
  void allocate() { add(allocations_, 1); }

  WorkCounts so_far() const { return {launches_, waits_, copied_bytes_, allocations_}; }

 private:
  using Count = std::atomic<std::uint64_t>;
  static void add(Count& count, std::uint64_t more) {
    count.fetch_add(more, std::memory_order_relaxed);
  }
  Count launches_ = 0, waits_ = 0, copied_bytes_ = 0, allocations_ = 0;
};

inline WorkCounter work_counter;

}  // namespace gothic
