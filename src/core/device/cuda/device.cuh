#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/device/cuda/defaults.hpp"
#include "core/device/cuda/gpu.cuh"
#include "core/device/cuda/warp.cuh"
#include "core/device/device_choice.hpp"
#include "core/device/histogram.hpp"

namespace gothic::cuda {

namespace detail {

inline constexpr std::size_t scratch_alignment = 16;

/// f(i) for i = 0 ... n - 1, each thread with a stride of the whole grid.
template <class F>
__global__ void __launch_bounds__(Defaults::most_threads, 1)
    run_indices(std::size_t n, const __grid_constant__ F f) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) f(i);
}

/// The integers for which there are atomic additions.
template <class Integer>
using Atomic = std::conditional_t<sizeof(Integer) == 8, unsigned long long, unsigned>;

/// Adds to counts[b] the weights of those of f(0) ... f(n - 1) whose bin is b.
template <int bins, class F, class Count>
__global__ void __launch_bounds__(Defaults::most_threads, 1)
    count_bins(std::size_t n, const __grid_constant__ F f, Count* counts) {
  __shared__ Count own[bins];
  for (int bin = int(threadIdx.x); bin < bins; bin += int(blockDim.x)) own[bin] = 0;
  __syncthreads();
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const auto one = f(i);
    const Count weight = weight_of(one);
    if (weight != 0) atomicAdd(&own[bin_of(one)], weight);
  }
  __syncthreads();
  for (int bin = int(threadIdx.x); bin < bins; bin += int(blockDim.x)) {
    if (own[bin] != 0) atomicAdd(&counts[bin], own[bin]);
  }
}

/// Most threads of a block that runs warps: as many as a multiprocessor has registers for.
template <class Scratch>
constexpr int most_warp_threads() {
  int registers = Defaults::warp_registers;
  if constexpr (requires { Scratch::registers; }) registers = Scratch::registers;
  constexpr int all_registers = 65536, threads_at_once = 4 * warp_size;
  return all_registers / registers / threads_at_once * threads_at_once;
}

/// Whether tasks may add tasks.
template <class Scratch, class F>
concept AddsTasks = std::invocable<F, Scratch&, std::size_t, AddedTasks&>;

/// Waits until the k-th added task is known, or until none can come any more. Returns whether it
/// came. All lanes must call.
/// \param tasks number of tasks at the beginning
__device__ inline bool wait_for(AddedTasks& added, std::size_t tasks, std::size_t k) {
  int came = -1;
  while (lane() == 0 && came < 0) {
    const auto state = Shared(added.known_and_done).load(::cuda::std::memory_order_relaxed);
    const std::uint64_t known = state >> 32, done = state & 0xffffffff;
    if (k < known) {
      ::cuda::atomic_thread_fence(::cuda::std::memory_order_acquire, ::cuda::thread_scope_device);
      came = 1;
    } else if (done == tasks + known) {
      came = 0;
    } else {
      __nanosleep(1000);
    }
  }
  return __shfl_sync(all_lanes, came, 0) == 1;
}

/// Runs all tasks; a warp takes the next task that nobody has.
/// \param scratch_bytes of a warp, a multiple of scratch_alignment
template <class Scratch, class F>
__global__ void __launch_bounds__(most_warp_threads<Scratch>(), 1)
    run_tasks(std::size_t tasks, TaskCounts* counts, std::uint32_t scratch_bytes,
              const __grid_constant__ F f) {
  static_assert(std::is_trivially_copyable_v<Scratch>);
  static_assert(alignof(Scratch) <= scratch_alignment);
  extern __shared__ __align__(16) unsigned char all_scratch[];
  Scratch& scratch =
      *reinterpret_cast<Scratch*>(all_scratch + threadIdx.x / warp_size * scratch_bytes);
  if constexpr (NumbersWarps<Scratch>) {
    scratch.warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
  }
  for (;;) {
    unsigned long long task = 0;
    if (lane() == 0) task = atomicAdd(&counts->next, 1ull);
    task = __shfl_sync(all_lanes, task, 0);
    if constexpr (AddsTasks<Scratch, F>) {
      if (task >= tasks && !wait_for(counts->added, tasks, task - tasks)) return;
      f(scratch, std::size_t(task), counts->added);
      __syncwarp();
      if (lane() == 0) {
        Shared(counts->added.known_and_done).fetch_add(1, ::cuda::std::memory_order_relaxed);
      }
    } else {
      if (task >= tasks) return;
      f(scratch, std::size_t(task));
    }
  }
}

/// f(0) ... f(n - 1), then 0.
template <class F>
struct ThenZero {
  std::size_t n;
  F f;
  GOTHIC_HD std::uint32_t operator()(std::size_t i) const { return i < n ? f(i) : 0u; }
};

}  // namespace detail

/// A GPU as a device. See device.hpp. All work goes to the default stream of the GPU that was
/// chosen last; sizes are limited by memory only.
class Device {
 public:
  template <class T>
  using Buffer = cuda::Buffer<T>;
  using Warp = cuda::Warp;
  using Defaults = cuda::Defaults;
  static constexpr bool is_host = false;

  static int count() { return cuda::count(); }
  static std::string problem_with(int number) { return cuda::problem_with(number); }

  /// \param number of the GPU, as the CUDA runtime counts them.
  explicit Device(const DeviceChoice& choice = {}, int number = 0)
      : gpu_(std::make_unique<Gpu>(number)), blocks_(choice.blocks) {
    if (blocks_.warp_threads == 0) blocks_.warp_threads = Defaults::warp_threads;
    if (blocks_.index_threads == 0) blocks_.index_threads = Defaults::index_threads;
  }

  /// Another device on the same GPU.
  Device another() const { return Device({.blocks = blocks_}, gpu_->number()); }

  /// Threads of the host that feed the GPU.
  int threads() const { return 1; }
  std::size_t warps() const {
    return std::size_t(gpu_->multiprocessors()) * (Defaults::most_threads / warp_size);
  }
  DeviceIdentity identity() const { return gpu_->identity(); }
  std::size_t free_memory() const { return Gpu::free_memory(); }
  std::size_t used_memory() const { return gpu_->used_memory(); }
  void synchronize() const { gpu_->wait(); }

  BlockSizes block_sizes() const { return blocks_; }
  std::size_t scratch_limit() const {
    const std::size_t warps = std::size_t(blocks_.warp_threads / warp_size);
    return gpu_->most_shared_bytes() / warps / detail::scratch_alignment *
           detail::scratch_alignment;
  }

  template <class F>
  void for_each(std::size_t n, F f) const {
    if (n == 0) return;
    const auto kernel = detail::run_indices<F>;
    kernel<<<index_blocks(n, kernel), blocks_.index_threads, 0, cudaStreamLegacy>>>(n, f);
    started();
  }

  template <class T, class F, class Combine>
  T reduce(std::size_t n, T identity, F f, Combine combine) const {
    if (n == 0) return identity;
    T* const out = reinterpret_cast<T*>(gpu_->result(sizeof(T)));
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::TransformReduce(scratch, bytes, Indices(0), out, n, combine, f,
                                                identity, cudaStreamLegacy);
    });
    return fetch(out);
  }

  template <class F>
  std::uint32_t exclusive_scan(std::size_t n, F f, std::uint32_t* out) const {
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(
          scratch, bytes, thrust::make_transform_iterator(Indices(0), detail::ThenZero<F>{n, f}),
          out, n + 1, cudaStreamLegacy);
    });
    return fetch(out + n);
  }

  template <class Predicate>
  void select(std::size_t n, Predicate predicate, std::uint32_t* out) const {
    if (n == 0) return;
    auto* const count = reinterpret_cast<std::size_t*>(gpu_->result(sizeof(std::size_t)));
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), out,
                                   count, std::int64_t(n), predicate, cudaStreamLegacy);
    });
  }

  template <std::size_t bins, class F>
  Histogram<bins, F> histogram(std::size_t n, F f) const {
    using Counts = Histogram<bins, F>;
    using Count = detail::Atomic<typename Counts::value_type>;
    auto* const counts = reinterpret_cast<Count*>(gpu_->result(sizeof(Counts)));
    check(cudaMemsetAsync(counts, 0, sizeof(Counts), cudaStreamLegacy), "clear memory");
    if (n > 0) {
      const auto kernel = detail::count_bins<int(bins), F, Count>;
      kernel<<<index_blocks(n, kernel), blocks_.index_threads, 0, cudaStreamLegacy>>>(n, f, counts);
      started();
    }
    return fetch(reinterpret_cast<const Counts*>(counts));
  }

  void sort_pairs(Buffer<std::uint64_t>& keys, Buffer<std::uint32_t>& values, int key_bits) {
    const std::size_t n = keys.size();
    if (n == 0) return;
    Buffer<std::uint64_t>& other_keys = gpu_->other_keys();
    Buffer<std::uint32_t>& other_values = gpu_->other_values();
    other_keys.resize(n);
    other_values.resize(n);
    cub::DoubleBuffer<std::uint64_t> key_buffers(keys.data(), other_keys.data());
    cub::DoubleBuffer<std::uint32_t> value_buffers(values.data(), other_values.data());
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, n, 0,
                                             key_bits, cudaStreamLegacy);
    });
    if (key_buffers.Current() != keys.data()) keys.swap(other_keys);
    if (value_buffers.Current() != values.data()) values.swap(other_values);
  }

  template <class Scratch, class F>
  void for_each_warp(std::size_t tasks, F f, std::size_t behind = 0) const {
    if (tasks == 0) return;
    constexpr std::size_t most_added = 4;  // at once, by a task: these should find warps
    const std::size_t most = detail::AddsTasks<Scratch, F> ? (1 + most_added) * tasks : tasks;
    const auto kernel = detail::run_tasks<Scratch, F>;
    const int threads = std::min(blocks_.warp_threads, detail::most_warp_threads<Scratch>());
    const std::size_t warps = std::size_t(threads / warp_size);
    const std::size_t scratch_bytes = (sizeof(Scratch) + behind + detail::scratch_alignment - 1) /
                                      detail::scratch_alignment * detail::scratch_alignment;
    const std::size_t blocks =
        std::min((most + warps - 1) / warps, resident(kernel, threads, warps * scratch_bytes));
    kernel<<<unsigned(blocks), threads, warps * scratch_bytes, cudaStreamLegacy>>>(
        tasks, gpu_->task_counts(), std::uint32_t(scratch_bytes), f);
    started();
  }

  /// See device.hpp; times of the GPU's own time line.
  class Timer {
   public:
    explicit Timer(const Device& device) : gpu_(*device.gpu_) { skip(); }
    Timer(const Timer&) = delete;
    ~Timer() {
      for (Lap& lap : laps_) gpu_.give_event(std::move(lap.end));
    }
    void lap(double& seconds) { record(&seconds); }
    void skip() { record(nullptr); }
    double finish() {
      skip();
      work_counter.wait();
      laps_.back().end.wait();
      check(cudaGetLastError(), "run a kernel");
      for (std::size_t i = 1; i < laps_.size(); ++i) {
        if (laps_[i].seconds == nullptr || laps_[i].is_added) continue;
        *laps_[i].seconds += laps_[i].end.since(laps_[i - 1].end);
        laps_[i].is_added = true;
      }
      return laps_.back().end.since(laps_.front().end);
    }

   private:
    struct Lap {
      double* seconds;
      Event end;
      bool is_added = false;
    };
    void record(double* seconds) {
      laps_.push_back({seconds, gpu_.take_event()});
      laps_.back().end.record();
    }
    Gpu& gpu_;
    std::vector<Lap> laps_;
  };

 private:
  using Indices = thrust::counting_iterator<std::size_t>;

  /// Blocks of a kernel that the GPU holds at once.
  template <class Kernel>
  std::size_t resident(Kernel kernel, int threads, std::size_t shared_bytes = 0) const {
    return gpu_->resident_blocks(reinterpret_cast<const void*>(kernel), threads, shared_bytes);
  }

  /// Blocks of a kernel with one thread for each of n indices.
  template <class Kernel>
  unsigned index_blocks(std::size_t n, Kernel kernel) const {
    const auto threads = std::size_t(blocks_.index_threads);
    return unsigned(std::min((n + threads - 1) / threads, resident(kernel, int(threads))));
  }

  /// After a kernel was started.
  static void started() {
    work_counter.launch();
    check(cudaGetLastError(), "start a kernel");
  }

  /// CUB's calls first say how much scratch they want, then work.
  template <class Call>
  void run_cub(Call call) const {
    std::size_t bytes = 0;
    check(call(nullptr, bytes), "plan a parallel algorithm");
    // CUB would take a null pointer for the first question again.
    std::byte* const scratch = gpu_->scratch(std::max<std::size_t>(bytes, 1));
    check(call(scratch, bytes), "run a parallel algorithm");
    work_counter.launch();
  }

  template <class T>
  T fetch(const T* source) const {
    return *reinterpret_cast<const T*>(gpu_->fetch(source, sizeof(T)));
  }

  std::unique_ptr<Gpu> gpu_;
  BlockSizes blocks_;
};

}  // namespace gothic::cuda
