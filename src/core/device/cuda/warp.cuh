#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda/atomic>
#include <type_traits>

#include "core/device/cuda/defaults.hpp"
#include "core/device/fixed_list.hpp"
#include "core/device/launch_sizes.hpp"
#include "core/device/vec4.hpp"

/// A warp of the GPU.
///
/// Every lane runs the whole of the code that is written for a warp. A value that is the same for
/// all lanes is kept by each of them; a list has its elements once, in the warp's part of shared
/// memory, and its size in a register of every lane.
///
/// Lanes may run ahead of each other. A collective that writes to memory therefore begins and ends
/// with __syncwarp(): what lanes read before is not overwritten, and what lanes wrote is there.
namespace gothic::cuda {

inline constexpr int warp_size = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffffu;

/// Number of the calling thread in its warp; blocks are one-dimensional.
__device__ inline int lane() { return int(threadIdx.x % warp_size); }

/// Bits of the lanes below the own one, and of the lanes up to the own one.
__device__ inline std::uint32_t lanes_below() { return (1u << lane()) - 1; }
__device__ inline std::uint32_t lanes_up_to_own() { return 0xffffffffu >> (31 - lane()); }

/// A number that all warps share.
using Shared = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;

/// A warp on the GPU: a lane is a thread. See device.hpp for the contract. All lanes must call.
class Warp {
 public:
  using Float = float;
  using Float4 = Vec4;
  using Double = double;
  using Mask = bool;
  using Index = std::uint32_t;
  static constexpr int width = warp_size;
  static constexpr int double_width = warp_size;
  static constexpr bool estimate_is_exact = true;
  static constexpr int most_sharing = warp_size;
  /// Lanes share particles before any of them has fewer.
  static constexpr int least_per_lane = Defaults::most_per_lane;
  static constexpr int least_chains = 1;
  /// Largest relative error of rsqrt_estimate: 2^-22.9 by the PTX manual.
  static constexpr double root_error = 1.3e-7;

  __device__ static bool first(int n) { return lane() < n; }
  __device__ static bool any(bool mask) { return __any_sync(all_lanes, mask); }
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
  __device__ static float pick(bool mask, float value) {
    return __shfl_sync(all_lanes, value, __ffs(int(__ballot_sync(all_lanes, mask))) - 1);
  }
  __device__ static float select(bool mask, float yes, float no) { return mask ? yes : no; }

  /// One instruction; rsqrtf() would add others for arguments below 2^-126.
  __device__ static float rsqrt_estimate(float value) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
  }
  /// The estimate is as good as single precision can be.
  __device__ static float scaled_rsqrt(float value) { return rsqrt_estimate(value); }
  static constexpr float rsqrt_scale = 1;
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
  /// `source[0..n)` in the first n lanes, the last of them repeated in the others; n >= 1. If lanes
  /// share, the same in each part of 32 / sharing lanes.
  __device__ static std::uint32_t load(const std::uint32_t* source, int n, int sharing = 1) {
    const int own = lane() & (warp_size / sharing - 1);
    return source[own < n ? own : n - 1];
  }
  __device__ static Vec4 load(const Vec4* source, int n) {
    return source[lane() < n ? lane() : n - 1];
  }
  /// Records of which each round gives the next `sharing` to the lanes, part by part.
  template <int sharing, class T = Vec4>
  class Rounds {
   public:
    __device__ explicit Rounds(const T* base) : own_(base + lane() / (warp_size / sharing)) {}
    __device__ T operator[](std::uint32_t round) const { return own_[sharing * round]; }

   private:
    const T* own_;
  };
  /// Sum over the lanes that share.
  __device__ static float sum_shared(float value, int sharing) {
    for (int distance = warp_size / 2; distance >= warp_size / sharing; distance /= 2) {
      value += __shfl_xor_sync(all_lanes, value, distance);
    }
    return value;
  }
  __device__ static float gather(const float* base, std::uint32_t index) { return base[index]; }
  __device__ static Vec4 gather(const Vec4* base, std::uint32_t index) { return base[index]; }
  __device__ static std::uint32_t gather(const std::uint32_t* base, std::uint32_t index) {
    return base[index];
  }
  __device__ static bool nonzero(std::uint32_t value) { return value != 0; }
  /// Stores the first n lanes to `base[index]`.
  __device__ static void scatter(Vec4* base, std::uint32_t index, int n, const Vec4& value) {
    __syncwarp();
    if (lane() < n) base[index] = value;
    __syncwarp();
  }

  /// Adds to a number that all warps share; returns what it was before.
  __device__ static std::uint32_t add(std::uint32_t* number, std::uint32_t value) {
    std::uint32_t before = 0;
    if (lane() == 0) before = atomicAdd(number, value);
    return __shfl_sync(all_lanes, before, 0);
  }
  __device__ static void add(std::uint64_t* number, std::uint64_t value) {
    if (lane() == 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(number),
                static_cast<unsigned long long>(value));
    }
  }

  template <class Write>
  __device__ static void add_tasks(AddedTasks& tasks, std::uint32_t n, Write write) {
    const std::uint32_t first = add(&tasks.reserved, n);
    write(first);
    __syncwarp();
    if (lane() == 0) {
      const Shared state(tasks.known_and_done);
      while (state.load(::cuda::std::memory_order_relaxed) >> 32 != first) {
      }
      state.fetch_add(std::uint64_t(n) << 32, ::cuda::std::memory_order_release);
    }
    __syncwarp();
  }

  /// Appends the values of the lanes in `mask`, in lane order.
  template <class T>
  __device__ static void append(FixedList<T>& list, bool mask, const T& value) {
    __syncwarp();
    const std::uint32_t chosen = __ballot_sync(all_lanes, mask);
    if (mask) list.data()[list.size() + std::uint32_t(__popc(chosen & lanes_below()))] = value;
    list.resize(list.size() + std::uint32_t(__popc(chosen)));
    __syncwarp();
  }

  /// Takes members off the end of a list of families (`Family` unpacks and packs them), as many as
  /// there are lanes or all; in the order of the list. Returns how many.
  template <class Family>
  __device__ static int take(FixedList<std::uint32_t>& families, std::uint32_t& member) {
    // Lane e looks at the e-th family from the end.
    const std::uint32_t size = families.size();
    std::uint32_t* const own = families.data() + size - 1 - std::uint32_t(lane());
    auto range = Family::range(std::uint32_t(lane()) < size ? *own : 0u);
    const std::uint32_t up_to_own = inclusive_sum(range.count);
    const std::uint32_t all = __shfl_sync(all_lanes, up_to_own, warp_size - 1);
    const std::uint32_t n = all < warp_size ? all : warp_size;
    // The last members of this lane's family go to lanes begin ... end - 1; the last family has the
    // last lanes.
    const std::uint32_t before = up_to_own - range.count;
    const std::uint32_t end = n > before ? n - before : 0,
                        begin = n > up_to_own ? n - up_to_own : 0;
    const std::uint32_t taken = end - begin;
    range.count -= taken;
    const std::uint32_t begins = any_bits(taken > 0 ? 1u << begin : 0u);
    const int families_taken = __popc(begins);
    const int family = families_taken - __popc(begins & lanes_up_to_own());
    member =
        __shfl_sync(all_lanes, range.first + range.count - begin, family) + std::uint32_t(lane());
    const bool split = taken > 0 && range.count > 0;
    if (split) *own = Family::pack(range);
    const bool any_split = __any_sync(all_lanes, split);
    families.resize(size - std::uint32_t(families_taken) + (any_split ? 1 : 0));
    const std::uint32_t last = __shfl_sync(all_lanes, member, int(n) - 1);
    if (std::uint32_t(lane()) >= n) member = last;
    __syncwarp();
    return int(n);
  }

  /// f(index, n) for the members of ranges[which[0 .. count)], n <= 32 at a time; no range is
  /// empty.
  template <class Range, class F>
  __device__ static void for_each_member(const Range* ranges, const std::uint32_t* which,
                                         std::uint32_t count, F f) {
    for (std::uint32_t batch = 0; batch < count; batch += warp_size) {
      const std::uint32_t own = batch + std::uint32_t(lane());
      const Range range = own < count ? ranges[which[own]] : Range{};
      const std::uint32_t end = inclusive_sum(range.count), begin = end - range.count;
      const std::uint32_t all = __shfl_sync(all_lanes, end, warp_size - 1);
      for (std::uint32_t done = 0; done < all; done += warp_size) {
        const bool valid = range.count > 0;
        const bool here = valid && begin >= done && begin < done + warp_size;
        const std::uint32_t begins = any_bits(here ? 1u << (begin - done) : 0u);
        const int earlier = __popc(__ballot_sync(all_lanes, valid && begin < done));
        const int range_of_lane = earlier + __popc(begins & lanes_up_to_own()) - 1;
        const std::uint32_t shift =
            __shfl_sync(all_lanes, range.first - begin, range_of_lane) + done;
        const std::uint32_t rest = all - done;
        const int n = rest < warp_size ? int(rest) : warp_size;
        f(shift + std::uint32_t(lane() < n ? lane() : n - 1), n);
      }
    }
  }

  /// f(i) for i = 0 ... n - 1.
  template <class F>
  __device__ static void for_each(std::uint32_t n, F f) {
    __syncwarp();
#pragma unroll 4
    for (std::uint32_t i = std::uint32_t(lane()); i < n; i += warp_size) f(i);
    __syncwarp();
  }
  /// out[i] = value for i = 0 ... n - 1.
  template <class T>
  __device__ static void fill(T* out, std::uint32_t n, const T& value) {
    for_each(n, [=](std::uint32_t i) { out[i] = value; });
  }
  /// Copies `base[0..n)` to `out`.
  template <class T>
  __device__ static void copy(T* out, const T* base, std::uint32_t n) {
    for_each(n, [=](std::uint32_t i) { out[i] = base[i]; });
  }

 private:
  template <class Combine>
  __device__ static float combine(float value, Combine two) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      value = two(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    return value;
  }

  /// The bits that any lane has.
  __device__ static std::uint32_t any_bits(std::uint32_t bits) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(all_lanes, bits);
#else
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      bits |= __shfl_xor_sync(all_lanes, bits, distance);
    }
    return bits;
#endif
  }

  /// Sum over the lanes up to the own one.
  __device__ static std::uint32_t inclusive_sum(std::uint32_t value) {
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const std::uint32_t before = __shfl_up_sync(all_lanes, value, unsigned(distance));
      if (lane() >= distance) value += before;
    }
    return value;
  }
};

}  // namespace gothic::cuda
