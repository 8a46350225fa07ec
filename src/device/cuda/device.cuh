#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <memory>
#include <string>

#include "device/cuda/defaults.hpp"
#include "device/cuda/gpu.cuh"
#include "device/cuda/warp.cuh"

namespace gothic::cuda {

namespace detail {

/// f(i) for i = 0 ... n - 1, each thread with a stride of the whole grid.
template <class F>
__global__ void __launch_bounds__(Defaults::index_threads)
    run_indices(std::size_t n, const __grid_constant__ F f) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) f(i);
}

/// f(warp, scratch, task) for every task; a warp takes the next task that nobody has.
template <class MakeScratch, class F>
__global__ void __launch_bounds__(Defaults::warp_threads, Defaults::warp_blocks)
    run_tasks(std::size_t tasks, TaskState* state, ListMemory memory, MakeScratch make_scratch,
              const __grid_constant__ F f) {
  if (lane() == 0) {
    const std::size_t warp_number =
        std::size_t(blockIdx.x) * warps_per_block + threadIdx.x / warp_size;
    std::byte* const begin = memory.begin + warp_number * memory.per_warp;
    warp_memory() = {begin, begin + memory.per_warp, &state->exhausted};
  }
  __syncwarp();
  Warp warp;
  auto scratch = make_scratch(warp);
  for (;;) {
    unsigned long long task = 0;
    if (lane() == 0) task = atomicAdd(&state->next, 1ull);
    task = __shfl_sync(all_lanes, task, 0);
    if (task >= tasks) return;
    f(warp, scratch, std::size_t(task));
  }
}

/// The sum of all from an exclusive prefix sum and the last value.
template <class F>
__global__ void find_total(std::size_t n, const __grid_constant__ F f, const std::uint32_t* prefix,
                           std::uint32_t* total) {
  *total = prefix[n - 1] + f(n - 1);
}

}  // namespace detail

/// A GPU as a device. See device.hpp. All work goes to the default stream of the GPU that was
/// chosen last; sizes are limited by memory only.
class Device {
 public:
  template <class T>
  using Buffer = cuda::Buffer<T>;
  using Warp = cuda::Warp;
  using Defaults = cuda::Defaults;

  /// \param number of the GPU, as the CUDA runtime counts them.
  explicit Device(int number = 0) : gpu_(std::make_unique<Gpu>(number)) {}

  /// Threads of the host that feed the GPU.
  int threads() const { return 1; }
  std::string name() const { return gpu_->name(); }
  std::size_t free_memory() const { return Gpu::free_memory(); }
  void synchronize() const { gpu_->wait(); }

  template <class F>
  void for_each(std::size_t n, F f) const {
    if (n == 0) return;
    constexpr std::size_t threads = Defaults::index_threads;
    const auto kernel = detail::run_indices<F>;
    const std::size_t blocks = std::min((n + threads - 1) / threads, resident(kernel, threads));
    kernel<<<unsigned(blocks), unsigned(threads), 0, cudaStreamLegacy>>>(n, f);
    check(cudaGetLastError(), "start a kernel");
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
    if (n == 0) return 0;
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(
          scratch, bytes, thrust::make_transform_iterator(Indices(0), f), out, n, cudaStreamLegacy);
    });
    auto* const total = reinterpret_cast<std::uint32_t*>(gpu_->result(sizeof(std::uint32_t)));
    detail::find_total<<<1, 1, 0, cudaStreamLegacy>>>(n, f, out, total);
    check(cudaGetLastError(), "start a kernel");
    return fetch(total);
  }

  template <class Key>
  void sort_pairs(Buffer<Key>& keys, Buffer<std::uint32_t>& values, int key_bits) {
    const std::size_t n = keys.size();
    if (n == 0) return;
    Buffer<Key>& other_keys = gpu_->other_keys(Key());
    Buffer<std::uint32_t>& other_values = gpu_->other_values();
    other_keys.resize(n);
    other_values.resize(n);
    cub::DoubleBuffer<Key> key_buffers(keys.data(), other_keys.data());
    cub::DoubleBuffer<std::uint32_t> value_buffers(values.data(), other_values.data());
    run_cub([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, n, 0,
                                             key_bits, cudaStreamLegacy);
    });
    if (key_buffers.Current() != keys.data()) keys.swap(other_keys);
    if (value_buffers.Current() != values.data()) values.swap(other_values);
  }

  template <class MakeScratch, class F>
  void for_each_warp(std::size_t tasks, MakeScratch make_scratch, F f) const {
    if (tasks == 0) return;
    constexpr std::size_t threads = Defaults::warp_threads;
    const auto kernel = detail::run_tasks<MakeScratch, F>;
    const std::size_t blocks =
        std::min((tasks + warps_per_block - 1) / warps_per_block, resident(kernel, threads));
    TaskState* const state = gpu_->begin_tasks();
    kernel<<<unsigned(blocks), unsigned(threads), 0, cudaStreamLegacy>>>(
        tasks, state, gpu_->list_memory(blocks * warps_per_block), make_scratch, f);
    check(cudaGetLastError(), "start a kernel");
    gpu_->end_tasks();
  }

  /// Seconds of the GPU's time line since construction or the last call of `lap`.
  class Timer {
   public:
    explicit Timer(const Device& device) : gpu_(*device.gpu_) { events_[0].record(); }
    double lap() {
      Event &start = events_[last_], &now = events_[1 - last_];
      now.record();
      gpu_.wait();
      last_ = 1 - last_;
      return now.since(start);
    }

   private:
    Gpu& gpu_;
    Event events_[2];
    int last_ = 0;
  };

 private:
  using Indices = thrust::counting_iterator<std::size_t>;

  /// Blocks of a kernel that the GPU holds at once.
  template <class Kernel>
  std::size_t resident(Kernel kernel, std::size_t threads) const {
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, int(threads), 0),
          "be asked for its occupancy");
    return std::size_t(std::max(blocks, 1)) * std::size_t(gpu_->multiprocessors());
  }

  /// CUB's calls first say how much scratch they want, then work.
  template <class Call>
  void run_cub(Call call) const {
    std::size_t bytes = 0;
    check(call(nullptr, bytes), "plan a parallel algorithm");
    // CUB would take no address for another question.
    std::byte* const scratch = gpu_->scratch(std::max<std::size_t>(bytes, 1));
    check(call(scratch, bytes), "run a parallel algorithm");
  }

  template <class T>
  T fetch(const T* source) const {
    T value;
    check(cudaMemcpy(&value, source, sizeof(T), cudaMemcpyDeviceToHost), "copy to the host");
    gpu_->wait();
    return value;
  }

  std::unique_ptr<Gpu> gpu_;
};

}  // namespace gothic::cuda
