#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/device/cpu/simd.hpp"
#include "core/device/fixed_list.hpp"
#include "core/device/launch_sizes.hpp"

namespace gothic::cpu {

/// Growing array that a warp owns while it works on a task; its memory is kept from task to task.
/// Appending writes whole registers, so the memory behind the last element is scratch.
template <class T>
class List {
 public:
  std::uint32_t size() const { return size_; }
  const T* data() const { return data_.get(); }
  T* data() { return data_.get(); }
  void clear() { size_ = 0; }
  void resize(std::uint32_t size) { size_ = size; }

  /// Room for `extra` more elements and one register behind them; existing elements are kept.
  void reserve(std::uint32_t extra) {
    const std::size_t needed = std::size_t(size_) + extra + slack;
    if (needed <= capacity_) return;
    const std::size_t capacity = std::max<std::size_t>(2 * needed, 1024);
    std::unique_ptr<T[]> data(new T[capacity]);
    std::copy_n(data_.get(), size_, data.get());
    data_ = std::move(data);
    capacity_ = capacity;
  }

 private:
  static constexpr std::size_t slack = 16;
  std::unique_ptr<T[]> data_;
  std::uint32_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A warp on the CPU: its lanes are the lanes of one vector register. See device.hpp for the
/// contract.
class Warp {
 public:
  using Float = cpu::Float;
  using Float4 = cpu::Float4;
  using Double = cpu::Double;
  using Mask = cpu::Mask;
  template <class T>
  using List = cpu::List<T>;
  static constexpr int width = int(Float::size());
  static constexpr int double_width = int(Double::size());
  static constexpr bool estimate_is_exact = false;
  static constexpr int most_sharing = width;
  static constexpr int least_per_lane = 1;
  /// The arithmetic on a single register of targets would wait for its own results.
  static constexpr int least_chains = 2;
  /// Largest relative error of rsqrt_estimate.
  static constexpr double root_error = cpu::root_error;

  /// One unsigned integer per lane.
  struct alignas(64) Index {
    std::uint32_t lane[width];
  };

  static Mask first(int n) {
    const Float lane_number([](auto i) { return float(i); });
    return lane_number < float(n);
  }
  static bool any(const Mask& mask) { return bits(mask) != 0; }
  static int count(const Mask& mask) { return std::popcount(bits(mask)); }
  static float min(const Float& value) { return stdx::hmin(value); }
  static float max(const Float& value) { return stdx::hmax(value); }
  static float sum(const Float& value) { return stdx::reduce(value); }
  static float pick(const Mask& mask, const Float& value) {
    return value[std::size_t(std::countr_zero(bits(mask)))];
  }
  static Float select(const Mask& mask, const Float& yes, const Float& no) {
    Float result = no;
    stdx::where(mask, result) = yes;
    return result;
  }
  static Float min(const Float& a, const Float& b) { return stdx::min(a, b); }
  static Float max(const Float& a, const Float& b) { return stdx::max(a, b); }
  static Float rsqrt_estimate(const Float& value) { return cpu::rsqrt_estimate(value); }
  static Float scaled_rsqrt(const Float& value) { return cpu::twice_rsqrt(value); }
  static constexpr float rsqrt_scale = 2;
  /// Mean of the estimate's first or third power over the same power of the exact root.
  static float mean_estimate(int power) {
    static const float first = cpu::mean_estimate(1), third = cpu::mean_estimate(3);
    return power == 1 ? first : third;
  }
  static Double rsqrt(const Double& value) { return cpu::rsqrt(value); }
  /// f(0) in the first lane, f(1) in the second, ...
  template <class F>
  static Double make_double(F f) {
    return Double([&](auto lane) { return f(int(lane)); });
  }
  /// target[i] = {a, ...} of the i-th lane for i = 0 ... n - 1.
  template <class T, class... Doubles>
  static void store(T* target, int n, const Doubles&... values) {
    for (int lane = 0; lane < n; ++lane) target[lane] = T{double(values[lane])...};
  }

  /// begin, begin + 1, ... lane by lane.
  static Index sequence(std::uint32_t begin) {
    Index index;
    for (int lane = 0; lane < width; ++lane) index.lane[lane] = begin + std::uint32_t(lane);
    return index;
  }

  /// `source[0..n)` in the first n lanes, the last of them repeated in the others; n >= 1. If lanes
  /// share, the same in each part of width / sharing lanes.
  static Index load(const std::uint32_t* source, int n, int sharing = 1) {
    Index index;
    if (n >= width && sharing == 1) {
      std::memcpy(index.lane, source, sizeof(index.lane));
    } else {
      for (int lane = 0; lane < width; ++lane) {
        index.lane[lane] = source[std::min(lane & (width / sharing - 1), n - 1)];
      }
    }
    return index;
  }
  static Float4 load(const Vec4* source, int n) {
    Index index;
    for (int lane = 0; lane < width; ++lane)
      index.lane[lane] = std::uint32_t(std::min(lane, n - 1));
    return gather(source, index);
  }
  /// Records of which each round gives the next `sharing` to the lanes, part by part.
  template <int sharing, class T = Vec4>
  class Rounds {
   public:
    explicit Rounds(const T* base) : base_(base) {}
    auto operator[](std::uint32_t round) const {
      if constexpr (sharing == 1) {
        return base_[round];
      } else {
        return spread<sharing>(base_ + sharing * round);
      }
    }

   private:
    const T* base_;
  };
  /// Sum over the lanes that share.
  static Float sum_shared(const Float& value, int sharing) {
    if (sharing == 1) return value;
    alignas(64) float sum[width], before[width];
    value.copy_to(sum, stdx::vector_aligned);
    for (int distance = width / 2; distance >= width / sharing; distance /= 2) {
      std::copy_n(sum, width, before);
      for (int lane = 0; lane < width; ++lane) sum[lane] += before[lane ^ distance];
    }
    return Float(sum, stdx::vector_aligned);
  }
  static Float gather(const float* base, const Index& index) {
    return cpu::gather(base, index.lane);
  }
  static Index gather(const std::uint32_t* base, const Index& index) {
    Index result;
    for (int lane = 0; lane < width; ++lane) result.lane[lane] = base[index.lane[lane]];
    return result;
  }
  static Float4 gather(const Vec4* base, const Index& index) {
    return cpu::gather(base, index.lane);
  }
  /// The lanes with an integer above 0.
  static Mask nonzero(const Index& index) {
    return Float([&](auto lane) { return index.lane[lane] != 0 ? 1.0F : 0.0F; }) > 0.0F;
  }
  /// Stores the first n lanes to `base[index[lane]]`.
  static void scatter(Vec4* base, const Index& index, int n, const Float4& value) {
    alignas(64) float x[width], y[width], z[width], w[width];
    value.x.copy_to(x, stdx::vector_aligned);
    value.y.copy_to(y, stdx::vector_aligned);
    value.z.copy_to(z, stdx::vector_aligned);
    value.w.copy_to(w, stdx::vector_aligned);
    for (int lane = 0; lane < n; ++lane) {
      base[index.lane[lane]] = {x[lane], y[lane], z[lane], w[lane]};
    }
  }

  /// Adds to a number that all warps share; returns what it was before.
  template <class T>
  static T add(T* number, T value) {
    return std::atomic_ref<T>(*number).fetch_add(value, std::memory_order_relaxed);
  }

  template <class Write>
  static void add_tasks(AddedTasks& tasks, std::uint32_t n, Write write) {
    write(add(&tasks.reserved, n));
  }

  /// Appends the values of the lanes in `mask`, in lane order; there must be room for a warp.
  template <class IntegerList>
  static void append(IntegerList& list, const Mask& mask, const Index& value) {
    const std::uint32_t n = compress(value.lane, mask, list.data() + list.size());
    list.resize(list.size() + n);
  }
  static void append(FixedList<float>& list, const Mask& mask, const Float& value) {
    append_lanes(list, mask, [&](int lane) { return value[std::size_t(lane)]; });
  }
  static void append(FixedList<Vec4>& list, const Mask& mask, const Float4& value) {
    append_lanes(list, mask, [&](int lane) {
      return Vec4{value.x[lane], value.y[lane], value.z[lane], value.w[lane]};
    });
  }
  /// Takes members off the end of a list of families (`Family` unpacks and packs them), as many as
  /// there are lanes or all; in the order of the list. Returns how many.
  template <class Family>
  static int take(FixedList<std::uint32_t>& families, Index& member) {
    int free = width;
    while (free > 0 && families.size() > 0) {
      std::uint32_t& last = families.data()[families.size() - 1];
      auto range = Family::range(last);
      while (free > 0 && range.count > 0) member.lane[--free] = range.first + --range.count;
      if (range.count > 0) {
        last = Family::pack(range);
      } else {
        families.resize(families.size() - 1);
      }
    }
    const int n = width - free;
    for (int lane = 0; lane < width; ++lane) {
      member.lane[lane] = member.lane[std::min(lane + free, width - 1)];
    }
    return n;
  }
  /// f(index, n) for the members of ranges[which[0 .. count)], n <= width at a time.
  template <class Range, class F>
  static void for_each_member(const Range* ranges, const std::uint32_t* which, std::uint32_t count,
                              F f) {
    Index index{};
    int n = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Range range = ranges[which[i]];
      for (std::uint32_t k = 0; k < range.count; ++k) {
        index.lane[n++] = range.first + k;
        if (n == width) {
          f(index, n);
          n = 0;
        }
      }
    }
    if (n > 0) f(index, n);
  }
  /// Appends the integers first ... first + n - 1 of each of `count` ranges, n <= 8, and the index
  /// of each empty range to `empty`; `which` says which of `families`. Room for 8 and 1 integers a
  /// range must be reserved.
  template <class Family>
  static void append_ranges(List<std::uint32_t>& list, List<std::uint32_t>& empty,
                            const std::uint32_t* families, const std::uint32_t* which,
                            std::uint32_t count) {
    std::uint32_t* out = list.data() + list.size();
    std::uint32_t* none = empty.data() + empty.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto range = Family::range(families[which[i]]);
      for (std::uint32_t k = 0; k < 8; ++k) out[k] = range.first + k;
      out += range.count;
      *none = which[i];
      none += range.count == 0;
    }
    list.resize(std::uint32_t(out - list.data()));
    empty.resize(std::uint32_t(none - empty.data()));
  }
  /// f(i) for i = 0 ... n - 1.
  template <class F>
  static void for_each(std::uint32_t n, F f) {
    for (std::uint32_t i = 0; i < n; ++i) f(i);
  }
  /// out[i] = value for i = 0 ... n - 1.
  template <class T>
  static void fill(T* out, std::uint32_t n, const T& value) {
    std::fill_n(out, n, value);
  }
  /// Copies `base[0..n)` to `out`.
  static void copy(Vec4* out, const Vec4* base, std::uint32_t n) { copy_records(out, base, n); }
  template <class T>
  static void copy(T* out, const T* base, std::uint32_t n) {
    std::copy_n(base, n, out);
  }

 private:
  /// Appends value(lane) for the lanes in `mask`.
  template <class T, class F>
  static void append_lanes(FixedList<T>& list, const Mask& mask, F value) {
    T* out = list.data() + list.size();
    for (std::uint32_t rest = bits(mask); rest != 0; rest &= rest - 1) {
      *out++ = value(std::countr_zero(rest));
    }
    list.resize(std::uint32_t(out - list.data()));
  }
};

}  // namespace gothic::cpu
