#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/block_sizes.hpp"
#include "core/device/vec4.hpp"

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
///                  out[i] = f(0) + ... + f(i - 1), unsigned, for i = 0 ... n; returns out[n]
///   d.select(n, predicate, out)
///                  the i for which predicate(i) holds, in order
///   d.histogram<bins>(n, f)
///                  how many i have f(i) = 0, 1, ...; calls f once for each
///   d.sort_pairs(keys, values, bits)
///                  stable, by the lowest `bits` bits of the unsigned keys
///   d.for_each_warp<Scratch>(tasks, f, behind = 0)
///                  f(scratch, task) for every task, one warp each; a warp takes the next task that
///                  nobody has. `tasks` is a number, or a device pointer to it. The scratch is the
///                  warp's own, in its fastest memory: a trivial type, of undefined value at the
///                  first task; so many bytes more lie behind it. With Scratch::many_registers a
///                  GPU runs fewer warps at once
///   d.scratch_limit()
///                  bytes that a scratch may have, those behind it included
///   d.set_block_sizes(sizes), d.block_sizes()
///                  see BlockSizes; those in use, 0 where there are no blocks
///   d.take_registers()
///                  most registers per thread of the kernels that were started since this was asked
///                  last; 0 where it is not known
///   d.another()    another device on the same hardware
///   d.synchronize()
///                  waits until all work is done
///   d.name(), d.threads(), d.warps() that run at once, d.free_memory(), d.used_memory() in bytes
///
///   D::Timer       t.lap(seconds) adds the device time since the last lap or skip to `seconds`, at
///                  the latest when t.finish() returns, which waits, and tells the seconds since
///                  construction
///   D::Defaults    sizes that decide speed: group_size, group_steps, leaf_capacity,
///                  list_capacity, bundle_size, most_per_lane, direct_per_lane, key_block,
///                  build_cost, build_overhead
///
/// Functions given to it run on the device: they capture plain values and device pointers, and are
/// marked GOTHIC_HD. Calls may return before the work is done, in order; `reduce`,
/// `exclusive_scan`, `histogram`, `download` and `finish` wait.
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
///   pick(mask, x)  the x of the first lane in a mask that is not empty, for all lanes
///   select(mask, yes, no), sqrt, nonzero(index)
///   scaled_rsqrt(x), rsqrt_scale
///                  rsqrt_scale / sqrt(x) to single precision
///   rsqrt_estimate(x), mean_estimate(p)
///                  1 / sqrt(x) to root_error, and the mean of (rsqrt_estimate(x) sqrt(x))^p;
///                  estimate_is_exact if that is single precision too
///   Double, double_width
///                  one double per lane of a warp of double_width lanes, with rsqrt,
///                  make_double(f), store(p, n, values...)
///   sequence(i), load(p, n), gather(base, i), scatter(base, i, n, value)
///   add(number, value)
///                  to a number that all warps share; returns what it was
///   append(list, mask, value)
///                  to a FixedList in the scratch
///   copy(out, base, n), fill(out, n, value)
///   take<Family>(list, index)
///                  members off the end of a list of packed ranges, one per lane
///   for_each_member(ranges, which, count, f)
///                  f(index, n) for the members of some ranges, one per lane
///
/// Lanes may share an element: with sharing = 2, 4, ... most_sharing the warp falls into as many
/// parts. Then load(p, n, sharing) gives each part the same, Rounds<sharing>(p)[j] is p[sharing * j
/// + number of the part], and sum_shared(x, sharing) adds up over the parts.
///
/// `least_per_lane` and `least_chains` say how pairs are summed fast: for so many targets per lane
/// or more, and in so many sums side by side or more.
///
/// A warp of the CPU has growing lists too, List<T>, with append_ranges and gather into memory.
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
  { constant.scratch_limit() } -> std::convertible_to<std::size_t>;
  { constant.take_registers() } -> std::convertible_to<int>;
  device.set_block_sizes(constant.block_sizes());
  constant.for_each(n, detail::Nothing());
  constant.synchronize();
};

}  // namespace gothic
