#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/device/cuda/memory.cuh"
#include "core/device/device_identity.hpp"
#include "core/device/launch_sizes.hpp"

/// What the CUDA device keeps on the host's side; no kernels.
namespace gothic::cuda {

/// Number of GPUs; 0 without a driver.
int count();

/// Why GPU `number` cannot be used, as the end of a sentence that begins with its name; empty if it
/// can.
std::string problem_with(int number);

/// What warps count when they take tasks.
struct TaskCounts {
  unsigned long long next;  ///< task that nobody has
  AddedTasks added;
};

/// A point on the stream's time line.
class Event {
 public:
  Event();
  Event(Event&& other) noexcept : event_(other.event_) { other.event_ = nullptr; }
  Event(const Event&) = delete;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);  // see Buffer::Free
  }

  void record();
  /// Waits until all work before the point is done.
  void wait() const;
  /// Seconds from `earlier` to here; both must be reached.
  double since(const Event& earlier) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Bytes that the GPU writes to the host's memory.
struct Arrival {
  BasicBuffer<std::byte, PinnedMemory> bytes;
  std::uint64_t number;  ///< of those that the GPU was given
};

/// One GPU: what it is, and the memory that its device keeps from call to call. All work goes to
/// the default stream, in order.
class Gpu {
 public:
  /// Makes GPU `number` the GPU of the calling thread.
  explicit Gpu(int number);

  int number() const { return number_; }
  DeviceIdentity identity() const;
  int multiprocessors() const { return properties_.multiProcessorCount; }
  static std::size_t free_memory();
  /// Bytes that were taken since construction, by anybody.
  std::size_t used_memory() const;

  /// Waits until all work is done. Throws Error if a kernel failed.
  void wait();

  /// Scratch of at least so many bytes, for the call in progress.
  std::byte* scratch(std::size_t bytes);
  /// Where a number may be written that nobody reads.
  std::int64_t* unread() { return unread_.data(); }
  /// A number of blocks and so many bytes, all 0. The kernel that gets them leaves them so.
  std::pair<unsigned*, std::byte*> block_counts(std::size_t bytes);

  /// A place of the host for so many bytes, to which the next work may write.
  Arrival take_arrival(std::size_t bytes);
  /// Waits for this work, unless work was waited for that was given to the GPU later.
  const std::byte* arrived(const Arrival& arrival);
  void give_back(Arrival arrival) { arrivals_.push_back(std::move(arrival)); }
  /// Takes note that all work is done.
  void note_idle() { arrived_ = started_; }

  /// Bytes of fast memory that a block may have.
  std::size_t most_shared_bytes() const { return properties_.sharedMemPerBlockOptin; }

  /// Blocks of a kernel, of so many threads and so much fast memory each, that the GPU holds at
  /// once.
  std::size_t resident_blocks(const void* kernel, int threads, std::size_t shared_bytes = 0);

  /// What warps count when they take tasks, all at 0.
  TaskCounts* task_counts();

  /// An event that nobody uses, and its return.
  Event take_event();
  void give_event(Event event) { events_.push_back(std::move(event)); }

  Buffer<std::uint64_t>& other_keys() { return other_keys_; }
  Buffer<std::uint32_t>& other_values() { return other_values_; }

 private:
  int number_;
  cudaDeviceProp properties_;  // before memory: the GPU is chosen before it gives memory
  std::size_t free_at_start_;
  Buffer<std::byte> scratch_, block_counts_;
  std::vector<Arrival> arrivals_;  ///< that nobody waits for
  std::uint64_t started_ = 0, arrived_ = 0;
  Buffer<TaskCounts> task_counts_;
  Buffer<std::int64_t> unread_;
  Buffer<std::uint64_t> other_keys_;
  Buffer<std::uint32_t> other_values_;
  std::vector<Event> events_;
  /// Blocks at once of a kernel with certain threads and bytes of a block.
  std::map<std::tuple<const void*, int, std::size_t>, std::size_t> known_kernels_;

  std::size_t ask(const void* kernel, int threads, std::size_t shared_bytes) const;
};

}  // namespace gothic::cuda
