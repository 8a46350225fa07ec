#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <memory>
#include <span>
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

/// The weights of those of f(0) ... f(n - 1) whose bin is b, for each b.
/// \param counts of all blocks, all 0 before and after
/// \param blocks that have ended, 0 before and after
/// \param result [bins] where the last block writes
template <int bins, class F, class Count>
__global__ void __launch_bounds__(Defaults::most_threads, 1)
    count_bins(std::size_t n, const __grid_constant__ F f, Count* counts, unsigned* blocks,
               Count* result) {
  __shared__ Count own[bins];
  __shared__ bool is_last;
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
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(blocks, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for (int bin = int(threadIdx.x); bin < bins; bin += int(blockDim.x)) {
    result[bin] = atomicExch(&counts[bin], Count(0));
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
/// \tparam adding whether tasks may add tasks
template <class Scratch, bool adding, class F>
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
    if constexpr (adding) {
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

/// Ranges of indices that follow one another, few in each.
struct Turns {
  static constexpr int most = 32;
  int count = 0;
  std::uint32_t begin[most + 1];  ///< of each, and the end of the last
};

/// f(i) for the indices of one range after the other, the last range first. For a single block.
template <class F>
__global__ void __launch_bounds__(Defaults::most_threads, 1)
    run_turns(const __grid_constant__ Turns turns, const __grid_constant__ F f) {
  for (int k = turns.count - 1; k >= 0; --k) {
    for (std::uint32_t i = turns.begin[k] + threadIdx.x; i < turns.begin[k + 1]; i += blockDim.x) {
      f(std::size_t(i));
    }
    __syncthreads();
  }
}

/// f, which gives a T: the host cannot tell what a lambda of the device gives.
template <class T, class F>
struct Giving {
  F f;
  template <class I>
  __device__ T operator()(I i) const {
    return f(i);
  }
};

/// f(0) ... f(n - 1), then 0.
template <class F>
struct ThenZero {
  std::size_t n;
  F f;
  __device__ std::uint32_t operator()(std::size_t i) const { return i < n ? f(i) : 0u; }
};

}  // namespace detail

/// A number that the GPU will have found once its work is done.
template <class T>
class Later {
 public:
  Later(T known) : known_(known) {}
  /// \param start starts work that writes to its argument, a place of the host
  template <class Start>
  Later(Gpu& gpu, Start start) : gpu_(&gpu), arrival_(gpu.take_arrival(sizeof(T))) {
    start(reinterpret_cast<T*>(arrival_.bytes.data()));
  }
  Later(const Later&) = delete;
  ~Later() {
    if (gpu_ != nullptr) gpu_->give_back(std::move(arrival_));
  }
  T get() const {
    return gpu_ == nullptr ? known_ : *reinterpret_cast<const T*>(gpu_->arrived(arrival_));
  }

 private:
  T known_{};
  Gpu* gpu_ = nullptr;
  Arrival arrival_{};
};

/// A GPU as a device. See device.hpp. All work goes to the default stream of the GPU that was
/// chosen last; sizes are limited by memory only.
class Device {
 public:
  template <class T>
  using Buffer = cuda::Buffer<T>;
  template <class T>
  using Later = cuda::Later<T>;
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

  /// Small ranges that follow one another are left to one block.
  template <class F>
  void for_each_in_turn(std::span<const std::uint32_t> begin, F f) const {
    const std::size_t few = Defaults::most_threads;
    const auto size = [&](std::size_t k) { return begin[k + 1] - begin[k]; };
    for (std::size_t end = begin.size() - 1; end > 0;) {
      std::size_t first = end;
      while (first > 0 && size(first - 1) <= few && end - first < detail::Turns::most) --first;
      if (first + 1 < end) {
        detail::Turns turns{.count = int(end - first)};
        std::copy(begin.begin() + std::ptrdiff_t(first), begin.begin() + std::ptrdiff_t(end) + 1,
                  turns.begin);
        detail::run_turns<F><<<1, unsigned(few), 0, cudaStreamLegacy>>>(turns, f);
        started();
        end = first;
      } else {
        const std::uint32_t own = begin[--end];
        for_each(size(end), [=] GOTHIC_DEVICE(std::size_t i) { f(own + i); });
      }
    }
  }

  template <class T, class F, class Combine>
  Later<T> start_reduce(std::size_t n, T identity, F f, Combine combine) const {
    if (n == 0) return identity;
    return {*gpu_, [&](T* out) {
              run_cub([&](void* scratch, std::size_t& bytes) {
                return cub::DeviceReduce::TransformReduce(scratch, bytes, Indices(0), out, n,
                                                          combine, detail::Giving<T, F>{f},
                                                          identity, cudaStreamLegacy);
              });
            }};
  }
  template <class T, class F, class Combine>
  T reduce(std::size_t n, T identity, F f, Combine combine) const {
    return start_reduce(n, identity, f, combine).get();
  }

  template <class F>
  std::uint32_t exclusive_scan(std::size_t n, F f, std::uint32_t* out) const {
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(
          scratch, bytes, thrust::make_transform_iterator(Indices(0), detail::ThenZero<F>{n, f}),
          out, n + 1, cudaStreamLegacy);
    });
    return start_fetch(out + n).get();
  }

  template <class Predicate>
  void select(std::size_t n, Predicate predicate, std::uint32_t* out) const {
    if (n == 0) return;
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), out,
                                   gpu_->unread(), std::int64_t(n),
                                   detail::Giving<bool, Predicate>{predicate}, cudaStreamLegacy);
    });
  }

  template <std::size_t bins, class Count = std::uint32_t, class F>
  Later<std::array<Count, bins>> start_histogram(std::size_t n, F f) const {
    using Counts = std::array<Count, bins>;
    using Own = detail::Atomic<Count>;
    if (n == 0) return Counts{};
    const auto kernel = detail::count_bins<int(bins), F, Own>;
    const unsigned blocks = index_blocks(n, kernel);
    const auto zeros = gpu_->block_counts(sizeof(Counts));
    return {*gpu_, [&](Counts* result) {
              kernel<<<blocks, blocks_.index_threads, 0, cudaStreamLegacy>>>(
                  n, f, reinterpret_cast<Own*>(zeros.second), zeros.first,
                  reinterpret_cast<Own*>(result));
              started();
            }};
  }
  template <std::size_t bins, class Count = std::uint32_t, class F>
  std::array<Count, bins> histogram(std::size_t n, F f) const {
    return start_histogram<bins, Count>(n, f).get();
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
    bring_back(key_buffers, keys);
    bring_back(value_buffers, values);
  }

  template <class Scratch, class F>
  void for_each_warp(std::size_t tasks, F f, std::size_t behind = 0) const {
    start_warps<Scratch, false>(tasks, tasks, f, behind);
  }
  template <class Scratch, class F>
  void for_each_warp_adding(std::size_t tasks, F f, std::size_t behind = 0) const {
    constexpr std::size_t most_added = 4;  // at once, by a task: these should find warps
    start_warps<Scratch, true>(tasks, (1 + most_added) * tasks, f, behind);
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
      gpu_.note_idle();
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

  /// \param most tasks that should find warps
  template <class Scratch, bool adding, class F>
  void start_warps(std::size_t tasks, std::size_t most, F f, std::size_t behind) const {
    if (tasks == 0) return;
    const auto kernel = detail::run_tasks<Scratch, adding, F>;
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

  /// A number from the GPU's memory.
  template <class T>
  Later<T> start_fetch(const T* source) const {
    return {
        *gpu_, [=](T* place) {
          check(cudaMemcpyAsync(place, source, sizeof(T), cudaMemcpyDeviceToHost, cudaStreamLegacy),
                "copy to the host");
        }};
  }

  /// Copies what was sorted to its buffer, if it is not there.
  template <class T>
  static void bring_back(cub::DoubleBuffer<T>& sorted, Buffer<T>& to) {
    if (sorted.Current() == to.data()) return;
    check(cudaMemcpyAsync(to.data(), sorted.Current(), to.size() * sizeof(T),
                          cudaMemcpyDeviceToDevice, cudaStreamLegacy),
          "copy memory");
  }

  std::unique_ptr<Gpu> gpu_;
  BlockSizes blocks_;
};

}  // namespace gothic::cuda
