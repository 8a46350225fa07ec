#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "device/annotations.hpp"
#include "device/vec4.hpp"

/// What a device offers. Every algorithm is written once against this contract, as work for warps
/// of lanes, and knows nothing else of the hardware.
///
/// A type D fulfils the contract if it has
///
///   D::Buffer<T>   array in device memory: resize(n) keeps what both sizes have, swap; data() is
///                  a device pointer; upload(span) and download(span) copy explicitly
///
///   d.for_each(n, f)
///                  f(i) for i = 0 ... n - 1, in any order and at once
///   d.reduce(n, identity, f, combine)
///                  f(0) ... f(n - 1) combined; combine is associative, and the way of combining
///                  does not depend on the number of threads
///   d.exclusive_scan(n, f, out)
///                  out[i] = f(0) + ... + f(i - 1), unsigned; returns the sum of all
///   d.sort_pairs(keys, values, bits)
///                  stable, by the lowest `bits` bits of the unsigned keys
///   d.for_each_warp(tasks, make_scratch, f)
///                  f(warp, scratch, task) for every task, one warp each; a warp takes the next
///                  task that nobody has; make_scratch(warp) makes what it keeps between tasks
///   d.synchronize()
///                  waits until all work is done
///   d.name(), d.threads(), d.free_memory()
///
///   D::Timer       t.lap(): seconds of device time since the last lap
///   D::Defaults    sizes that decide speed: group_size, leaf_capacity, bundle_size,
///                  most_per_lane, key_block, build_cost
///
/// Functions given to it run on the device: they capture plain values and device pointers, and are
/// marked GOTHIC_HD. Calls may return before the work is done, in order; `reduce`,
/// `exclusive_scan`, `download` and `lap` wait.
///
/// A warp is `width` lanes that take every step together; control flow is the same for all of them,
/// and where they differ they do so by a mask. D::Warp has
///
///   Float, Float4, Mask, Index
///                  one float, four floats, one truth value, one integer per lane
///   first(n)       the mask of lanes 0 ... n - 1
///   any, all, count
///                  of a mask
///   min, max, sum  over the lanes; min and max of two Floats lane by lane
///   select(mask, yes, no), sqrt
///   twice_rsqrt(x), rsqrt_estimate(x)
///                  2 / sqrt(x) to single precision, 1 / sqrt(x) to root_error
///   mean_estimate(p)
///                  mean of (rsqrt_estimate(x) sqrt(x))^p
///   Double, double_width
///                  one double per lane of a warp of double_width lanes, with rsqrt,
///                  make_double(f), store(p, n, values...)
///   sequence(i), load(p, n), gather(base, i), scatter(base, i, n, value)
///   append(list, mask, i), append_ranges, copy, gather(out, base, indices, n)
///   List<T>        an array of the warp's own that grows by reserve
///   SourceList, source_capacity
///                  such a list of so many Vec4 at most in the warp's fastest memory; one to a
///                  scratch
namespace gothic {

namespace detail {
struct Nothing {
  GOTHIC_HD void operator()(std::size_t) const {}
};
}  // namespace detail

/// The part of the contract that can be stated without naming functions.
template <class D>
concept DeviceType = requires(D& device, const D& constant, std::size_t n) {
  typename D::template Buffer<float>;
  typename D::Warp::Float;
  typename D::Timer;
  { D::Defaults::group_size } -> std::convertible_to<std::uint32_t>;
  { D::Defaults::leaf_capacity } -> std::convertible_to<std::uint32_t>;
  { D::Defaults::bundle_size } -> std::convertible_to<int>;
  { D::Warp::width } -> std::convertible_to<int>;
  { D::Warp::root_error } -> std::convertible_to<double>;
  { constant.threads() } -> std::convertible_to<int>;
  { constant.free_memory() } -> std::convertible_to<std::size_t>;
  constant.for_each(n, detail::Nothing());
  constant.synchronize();
};

}  // namespace gothic
