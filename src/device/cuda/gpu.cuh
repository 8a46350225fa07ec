#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "device/cuda/buffer.cuh"
#include "device/cuda/check.cuh"

/// What the CUDA device keeps on the host's side; no kernels.
namespace gothic::cuda {

/// Why GPU `number` cannot be used, as the end of a sentence that begins with its name; empty if it
/// can.
std::string problem_with(int number);

/// What the running warps share with each other and with the host, in device memory.
struct TaskState {
  unsigned long long next;  ///< first task that no warp has taken
  std::uint32_t exhausted;  ///< 1 if a warp's lists outgrew their memory
};

/// Memory for the lists of the warps of a kernel.
struct ListMemory {
  std::byte* begin = nullptr;
  std::size_t per_warp = 0;  ///< bytes
};

/// Memory in which the host finds a copy of a TaskState without waiting for it.
class PinnedState {
 public:
  PinnedState();
  TaskState* get() const { return state_.get(); }

 private:
  struct Free {
    void operator()(TaskState* p) const { cudaFreeHost(p); }  // see Buffer::Free
  };
  std::unique_ptr<TaskState, Free> state_;
};

/// One GPU: what it is, and the memory that its device keeps from call to call. All work goes to
/// the default stream, in order.
class Gpu {
 public:
  /// Makes GPU `number` that of the calling thread and takes the memory for lists, so that no
  /// timed call does. Throws Error or OutOfMemory.
  explicit Gpu(int number);

  std::string name() const { return properties_.name; }
  int multiprocessors() const { return properties_.multiProcessorCount; }
  static std::size_t free_memory();

  /// Waits until all work is done. Throws Error if a kernel failed, and OutOfListMemory if a
  /// warp's lists outgrew their memory.
  void wait();

  /// Scratch of at least so many bytes, for the call in progress.
  std::byte* scratch(std::size_t bytes);
  /// The same for a second purpose: what a call gives back.
  std::byte* result(std::size_t bytes);

  /// Memory for the lists of so many warps, all that there is.
  ListMemory list_memory(std::size_t warps);

  /// Before and after a kernel that takes tasks.
  TaskState* begin_tasks();
  void end_tasks();

  Buffer<std::uint64_t>& other_keys(std::uint64_t) { return other_keys64_; }
  Buffer<std::uint32_t>& other_keys(std::uint32_t) { return other_keys32_; }
  Buffer<std::uint32_t>& other_values() { return other_values_; }

 private:
  cudaDeviceProp properties_;  // first: the GPU is chosen before it gives memory
  Buffer<std::byte> scratch_, result_, lists_;
  Buffer<TaskState> tasks_;
  PinnedState tasks_on_host_;
  Buffer<std::uint64_t> other_keys64_;
  Buffer<std::uint32_t> other_keys32_, other_values_;
};

/// A point on the stream's time line.
class Event {
 public:
  Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }  // see Buffer::Free

  void record();
  /// Waits for both. Seconds from `earlier` to here.
  double since(const Event& earlier) const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace gothic::cuda
