#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/cuda/defaults.hpp"
#include "device/vec4.hpp"

/// A warp of the GPU and the lists that it owns.
///
/// Every lane runs the whole of the code that is written for a warp. A value that is the same for
/// all lanes is kept by each of them; a list has its elements once, in memory that all lanes reach,
/// and its size in a register of every lane.
///
/// Lanes may run ahead of each other. A collective that writes to memory therefore begins and ends
/// with __syncwarp(): what lanes read before is not overwritten, and what lanes wrote is there.
namespace gothic::cuda {

inline constexpr int warp_size = 32;
inline constexpr int warps_per_block = Defaults::warp_threads / warp_size;
inline constexpr std::uint32_t all_lanes = 0xffffffffu;

/// Number of the calling thread in its warp; blocks are one-dimensional.
__device__ inline int lane() { return int(threadIdx.x % warp_size); }

/// What is left of the memory for the lists of one warp.
struct WarpMemory {
  std::byte *next, *end;
  std::uint32_t* exhausted;  ///< set to 1 for the host if the memory does not suffice
};

/// That of the calling warp.
__device__ inline WarpMemory& warp_memory() {
  __shared__ WarpMemory memory[warps_per_block];
  return memory[threadIdx.x / warp_size];
}

/// Ends the calling warp with its task undone, and tells the host, which throws. Warps do not wait
/// for each other, so the others go on.
__device__ inline void give_up() {
  *warp_memory().exhausted = 1;
  asm volatile("exit;" ::: "memory");
}

/// Growing array that a warp owns. Its memory comes from that of the warp, which takes nothing back
/// until the kernel ends; since lists at least double, at most half of it lies idle.
template <class T>
class List {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);

 public:
  __device__ std::uint32_t size() const { return size_; }
  __device__ const T* data() const { return data_; }
  __device__ T* data() { return data_; }
  __device__ void clear() { size_ = 0; }
  __device__ void resize(std::uint32_t size) { size_ = size; }

  /// Room for `extra` more elements; existing elements are kept.
  __device__ void reserve(std::uint32_t extra) {
    if (extra <= capacity_ - size_) return;
    grow(std::size_t(size_) + extra);
  }

 private:
  __device__ void grow(std::size_t needed) {
    constexpr std::size_t smallest = 1024;
    const std::size_t capacity = 2 * needed < smallest ? smallest : 2 * needed;
    const std::size_t bytes = (capacity * sizeof(T) + 15) / 16 * 16;
    __syncwarp();
    WarpMemory& memory = warp_memory();
    std::byte* const begin = memory.next;
    if (bytes > std::size_t(memory.end - begin)) give_up();
    T* const data = reinterpret_cast<T*>(begin);
    for (std::uint32_t i = std::uint32_t(lane()); i < size_; i += warp_size) data[i] = data_[i];
    __syncwarp();
    if (lane() == 0) memory.next = begin + bytes;
    __syncwarp();
    data_ = data;
    capacity_ = std::uint32_t(capacity);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0, capacity_ = 0;
};

/// The list of sources: in the warp's part of shared memory, of which there is one.
class SourceList {
 public:
  __device__ std::uint32_t size() const { return size_; }
  __device__ const Vec4* data() const { return memory(); }
  __device__ Vec4* data() { return memory(); }
  __device__ void clear() { size_ = 0; }
  __device__ void resize(std::uint32_t size) { size_ = size; }
  /// The room is always that of Warp::source_capacity.
  __device__ void reserve(std::uint32_t) {}

 private:
  __device__ static Vec4* memory() {
    constexpr std::size_t bytes = Defaults::source_capacity * sizeof(Vec4);
    __shared__ alignas(16) unsigned char all[warps_per_block][bytes];
    return reinterpret_cast<Vec4*>(all[threadIdx.x / warp_size]);
  }

  std::uint32_t size_ = 0;
};

/// A warp on the GPU: a lane is a thread. See device.hpp for the contract. All lanes must call.
class Warp {
 public:
  using Float = float;
  using Float4 = Vec4;
  using Double = double;
  using Mask = bool;
  using Index = std::uint32_t;
  template <class T>
  using List = cuda::List<T>;
  using SourceList = cuda::SourceList;
  static constexpr int width = warp_size;
  static constexpr int double_width = warp_size;
  static constexpr std::uint32_t source_capacity = Defaults::source_capacity;
  /// Largest relative error of rsqrt_estimate: 2^-22.9 by the PTX manual.
  static constexpr double root_error = 1.3e-7;

  __device__ static bool first(int n) { return lane() < n; }
  __device__ static bool any(bool mask) { return __any_sync(all_lanes, mask); }
  __device__ static bool all(bool mask) { return __all_sync(all_lanes, mask); }
  __device__ static int count(bool mask) { return __popc(__ballot_sync(all_lanes, mask)); }
  __device__ static float min(float value) {
    return combine(value, [](float a, float b) { return fminf(a, b); });
  }
  __device__ static float max(float value) {
    return combine(value, [](float a, float b) { return fmaxf(a, b); });
  }
  __device__ static float sum(float value) {
    return combine(value, [](float a, float b) { return a + b; });
  }
  __device__ static float min(float a, float b) { return fminf(a, b); }
  __device__ static float max(float a, float b) { return fmaxf(a, b); }
  __device__ static float select(bool mask, float yes, float no) { return mask ? yes : no; }
  __device__ static float sqrt(float value) { return sqrtf(value); }

  /// One instruction; rsqrtf() would add others for arguments below 2^-126.
  __device__ static float rsqrt_estimate(float value) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
  }
  __device__ static float twice_rsqrt(float value) { return 2 * rsqrt_estimate(value); }
  /// The estimate is exact to a unit in the last place, with errors of either sign.
  __device__ static constexpr float mean_estimate(int) { return 1; }

  __device__ static double rsqrt(double value) { return ::rsqrt(value); }
  /// f(0) in the first lane, f(1) in the second, ...
  template <class F>
  __device__ static double make_double(F f) {
    return f(lane());
  }
  /// target[i] = {x, ...} of the i-th lane for i = 0 ... n - 1.
  template <class T, class... Doubles>
  __device__ static void store(T* target, int n, Doubles... values) {
    __syncwarp();
    if (lane() < n) target[lane()] = T{values...};
    __syncwarp();
  }

  /// begin, begin + 1, ... lane by lane.
  __device__ static std::uint32_t sequence(std::uint32_t begin) {
    return begin + std::uint32_t(lane());
  }
  /// `source[0..n)` in the first n lanes, the last of them repeated in the others; n >= 1.
  __device__ static std::uint32_t load(const std::uint32_t* source, int n) {
    return source[lane() < n ? lane() : n - 1];
  }
  __device__ static float gather(const float* base, std::uint32_t index) { return base[index]; }
  __device__ static Vec4 gather(const Vec4* base, std::uint32_t index) { return base[index]; }
  /// Stores the first n lanes to `base[index]`.
  __device__ static void scatter(Vec4* base, std::uint32_t index, int n, const Vec4& value) {
    __syncwarp();
    if (lane() < n) base[index] = value;
    __syncwarp();
  }

  /// Appends the integers of the lanes in `mask`, in lane order; room for a warp must be reserved.
  __device__ static void append(List<std::uint32_t>& list, bool mask, std::uint32_t value) {
    __syncwarp();
    const std::uint32_t chosen = __ballot_sync(all_lanes, mask);
    const std::uint32_t below = chosen & ((1u << lane()) - 1);
    if (mask) list.data()[list.size() + std::uint32_t(__popc(below))] = value;
    list.resize(list.size() + std::uint32_t(__popc(chosen)));
    __syncwarp();
  }

  /// Appends the integers first ... first + n - 1 of each of `count` ranges, n <= 8, and the index
  /// of each empty range to `empty`; `which` says which ranges. Room for 8 and 1 integers a range
  /// must be reserved.
  template <class Range>
  __device__ static void append_ranges(List<std::uint32_t>& list, List<std::uint32_t>& empty,
                                       const Range* ranges, const std::uint32_t* which,
                                       std::uint32_t count) {
    __syncwarp();
    for (std::uint32_t begin = 0; begin < count; begin += warp_size) {
      const bool valid = sequence(begin) < count;
      const std::uint32_t number = valid ? which[sequence(begin)] : 0;
      const Range range = valid ? ranges[number] : Range{};
      const std::uint32_t last = inclusive_sum(range.count);
      std::uint32_t* const out = list.data() + list.size() + (last - range.count);
      for (std::uint32_t k = 0; k < range.count; ++k) out[k] = range.first + k;
      list.resize(list.size() + __shfl_sync(all_lanes, last, warp_size - 1));
      append(empty, valid && range.count == 0, number);
    }
    __syncwarp();
  }

  /// out[i] = base[index[i]] for i = 0 ... n - 1.
  __device__ static void gather(Vec4* out, const Vec4* base, const std::uint32_t* index,
                                std::uint32_t n) {
    write(out, n, [=](std::uint32_t i) { return base[index[i]]; });
  }
  /// Copies `base[0..n)` to `out`.
  template <class T>
  __device__ static void copy(T* out, const T* base, std::uint32_t n) {
    write(out, n, [=](std::uint32_t i) { return base[i]; });
  }

 private:
  template <class Combine>
  __device__ static float combine(float value, Combine two) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      value = two(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    return value;
  }

  /// Sum over the lanes up to the own one.
  __device__ static std::uint32_t inclusive_sum(std::uint32_t value) {
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const std::uint32_t before = __shfl_up_sync(all_lanes, value, unsigned(distance));
      if (lane() >= distance) value += before;
    }
    return value;
  }

  /// out[i] = at(i) for i = 0 ... n - 1.
  template <class T, class At>
  __device__ static void write(T* out, std::uint32_t n, At at) {
    __syncwarp();
#pragma unroll 4
    for (std::uint32_t i = std::uint32_t(lane()); i < n; i += warp_size) out[i] = at(i);
    __syncwarp();
  }
};

}  // namespace gothic::cuda
