#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/device/annotations.hpp"
#include "core/device/buffer.hpp"
#include "core/device/device_choice.hpp"
#include "core/device/device_identity.hpp"
#include "core/device/fixed_list.hpp"
#include "core/device/histogram.hpp"
#include "core/device/launch_sizes.hpp"
#include "core/device/vec4.hpp"

/// What a device offers. Every algorithm is written once against these concepts, as work for warps
/// of lanes, and knows nothing else of the hardware.
namespace gothic {

namespace detail {

// Types such as algorithms give to devices.
struct Scratch {};
struct Write {
  GOTHIC_HD void operator()(std::uint32_t) const {}
};
struct Run {
  std::uint32_t first, count;
};
struct Packed {
  GOTHIC_HD static Run range(std::uint32_t) { return {}; }
  GOTHIC_HD static std::uint32_t pack(Run) { return 0; }
};
struct Visit {
  GOTHIC_HD void operator()(std::uint32_t) const {}
};

}  // namespace detail

/// An array in the device's memory; BasicBuffer says what it does.
template <class B, class T>
concept BufferType = std::movable<B> && std::default_initializable<B> &&
    std::constructible_from<B, std::size_t> &&
    requires(B& buffer, const B& constant, std::size_t n, const std::vector<T>& source,
             std::vector<T>& target) {
  { constant.size() } -> std::same_as<std::size_t>;
  { buffer.data() } -> std::same_as<T*>;
  { constant.data() } -> std::same_as<const T*>;
  buffer.resize(n);
  buffer.swap(buffer);
  buffer.upload(source);
  constant.download(target);
  { constant.downloaded() } -> std::same_as<std::vector<T>>;
  { constant.downloaded(n, n) } -> std::same_as<std::vector<T>>;
};

/// Device time between laps.
template <class T>
concept TimerType = requires(T timer, double& seconds) {
  timer.lap(seconds);  // adds the time since the last lap or skip, at the latest at finish()
  timer.skip();
  { timer.finish() } -> std::convertible_to<double>;  // waits; seconds since construction
};

/// Sizes that decide speed.
template <class D>
concept DefaultSizes = requires {
  { D::bundle_size } -> std::convertible_to<int>;      // groups that walk together
  { D::most_per_lane } -> std::convertible_to<int>;    // particles of a group in a lane: 1, 2, 4
  { D::direct_per_lane } -> std::convertible_to<int>;  // the same in direct sums
  { D::group_size } -> std::convertible_to<std::uint32_t>;
  { D::group_steps[0] } -> std::convertible_to<SizeStep>;  // the last that holds is taken
  { D::leaf_steps[0] } -> std::convertible_to<SizeStep>;
  // Octupoles act from this accuracy of the acceleration criterion on.
  { D::octupole_accuracy } -> std::convertible_to<float>;
  { D::list_capacity } -> std::convertible_to<std::uint32_t>;  // sources summed at a time
  { D::key_block } -> std::convertible_to<std::uint32_t>;      // keys that one call makes
  /// Pairs that could be summed while a tree is built: for every particle, and besides.
  { D::build_cost } -> std::convertible_to<double>;
  { D::build_overhead } -> std::convertible_to<double>;
};

/// Numbers in the lanes of a warp.
template <class F, class Mask>
concept LaneNumbers = requires(F x, F y, F& sum, Mask mask, Mask other) {
  F(0);
  { x + y - 1.0F * x } -> std::convertible_to<F>;
  { -x / y } -> std::convertible_to<F>;
  sum += x;
  { x < y } -> std::convertible_to<Mask>;
  { x > y } -> std::convertible_to<Mask>;
  { x <= y } -> std::convertible_to<Mask>;
  { (x >= y && !mask) || other } -> std::convertible_to<Mask>;
};

/// `width` lanes that take every step together. Control flow is the same for all of them; where
/// they differ they do so by a mask. A Float is one number for each lane, Float4 four of them, Mask
/// a truth value, Index an unsigned integer.
///
/// Lanes may share an element: with sharing = 2, 4, ... most_sharing the warp falls into as many
/// parts. Then load(p, n, sharing) gives each part the same, Rounds<sharing>(p)[j] is
/// p[sharing * j + number of the part], and sum_shared(x, sharing) adds up over the parts.
template <class W>
concept WarpType = LaneNumbers<typename W::Float, typename W::Mask> &&
    requires(typename W::Float x, typename W::Float4 xyzw, typename W::Mask mask,
             typename W::Index index, typename W::Double d, float* floats, double* doubles,
             Vec4* records, std::uint32_t* numbers, std::uint64_t* counter,
             const detail::Run* ranges, int n, AddedTasks& added, detail::Write write,
             FixedList<std::uint32_t>& list, FixedList<Vec4>& sources, FixedList<float>& values,
             double (*coordinate)(int), void (*members)(const typename W::Index&, int)) {
  { W::width } -> std::convertible_to<int>;
  { W::double_width } -> std::convertible_to<int>;  // lanes of a Double
  { W::most_sharing } -> std::convertible_to<int>;
  // Pairs are summed fast for so many targets per lane, in so many sums side by side, or more.
  { W::least_per_lane } -> std::convertible_to<int>;
  { W::least_chains } -> std::convertible_to<int>;

  { W::first(n) } -> std::same_as<typename W::Mask>;  // lanes 0 ... n - 1
  { W::any(mask) } -> std::same_as<bool>;
  { W::count(mask) } -> std::same_as<int>;
  { W::min(x) } -> std::same_as<float>;  // over the lanes
  { W::max(x) } -> std::same_as<float>;
  { W::sum(x) } -> std::same_as<float>;
  { W::min(x, x) } -> std::same_as<typename W::Float>;  // lane by lane
  { W::max(x, x) } -> std::same_as<typename W::Float>;
  { W::pick(mask, x) } -> std::same_as<float>;  // of the first lane in a mask that is not empty
  { W::select(mask, x, x) } -> std::same_as<typename W::Float>;
  { W::nonzero(index) } -> std::same_as<typename W::Mask>;
  // rsqrt_scale / sqrt(x) to single precision
  { W::scaled_rsqrt(x) } -> std::same_as<typename W::Float>;
  { W::rsqrt_scale } -> std::convertible_to<float>;
  // 1 / sqrt(x) to root_error, and the mean of (rsqrt_estimate(x) sqrt(x))^power
  { W::rsqrt_estimate(x) } -> std::same_as<typename W::Float>;
  { W::root_error } -> std::convertible_to<double>;
  { W::mean_estimate(n) } -> std::same_as<float>;
  { W::estimate_is_exact } -> std::convertible_to<bool>;  // to single precision
  { W::rsqrt(d) } -> std::same_as<typename W::Double>;
  { W::make_double(coordinate) } -> std::same_as<typename W::Double>;
  W::store(doubles, n, d);  // the first n lanes

  { W::sequence(0U) } -> std::same_as<typename W::Index>;  // begin, begin + 1, ...
  { W::load(numbers, n, n) } -> std::same_as<typename W::Index>;
  { W::load(records, n) } -> std::same_as<typename W::Float4>;
  { W::gather(floats, index) } -> std::same_as<typename W::Float>;
  { W::gather(numbers, index) } -> std::same_as<typename W::Index>;
  { W::gather(records, index) } -> std::same_as<typename W::Float4>;
  W::scatter(records, index, n, xyzw);  // the first n lanes
  { W::sum_shared(x, n) } -> std::same_as<typename W::Float>;
  typename W::template Rounds<2>;
  typename W::template Rounds<2, float>;
  // Adds to a number that all warps share; the 32-bit form returns what it was.
  { W::add(numbers, 1U) } -> std::same_as<std::uint32_t>;
  W::add(counter, std::uint64_t(1));

  // Adds tasks: write(k) writes down what k, k + 1, ... are to do.
  W::add_tasks(added, 1U, write);

  W::append(list, mask, index);
  W::append(sources, mask, xyzw);
  W::append(values, mask, x);
  W::copy(records, records, 1U);
  W::fill(records, 1U, Vec4{});
  W::fill(floats, 1U, 0.0F);
  W::for_each(1U, detail::Visit{});  // visit(i) for i = 0 ... n - 1
  // Takes members off the end of a list of packed ranges, one per lane; returns how many.
  { W::template take<detail::Packed>(list, index) } -> std::same_as<int>;
  // f(index, n) for the members of some ranges, one per lane.
  W::for_each_member(ranges, numbers, 1U, members);
};

/// A warp with lists that grow, each its own, kept from task to task: walks of bundles need them.
/// Whole registers may be written behind the last element.
template <class W>
concept GrowingLists = WarpType<W> &&
    requires(typename W::template List<std::uint32_t>& list,
             const typename W::template List<Vec4>& constant, typename W::Mask mask,
             typename W::Index index, std::uint32_t n, std::uint32_t* numbers, float* floats) {
  list.reserve(n);  // room for n more elements
  list.resize(n);
  list.clear();
  { list.data() } -> std::same_as<std::uint32_t*>;
  { constant.data() } -> std::same_as<const Vec4*>;
  { constant.size() } -> std::same_as<std::uint32_t>;
  W::append(list, mask, index);
  W::copy(numbers, numbers, n);
  W::copy(floats, floats, n);
  // Appends to the first list the members, 8 at most, of the packed ranges numbers[numbers[0 ..
  // n)], and to the second list the indices of the empty ranges.
  W::template append_ranges<detail::Packed>(list, list, numbers, numbers, n);
};

/// A device. Functions given to it run there: they capture plain values and device pointers, and
/// are marked GOTHIC_HD. Calls may return before the work is done, in order; `reduce`,
/// `exclusive_scan`, `histogram`, `download` and `finish` wait.
template <class D>
concept DeviceType = WarpType<typename D::Warp> && TimerType<typename D::Timer> &&
    DefaultSizes<typename D::Defaults> &&
    (D::Defaults::bundle_size == 1 ||
     GrowingLists<typename D::Warp>)&&BufferType<typename D::template Buffer<std::uint32_t>,
                                                 std::uint32_t>&& std::
        constructible_from<D, const DeviceChoice&, int>&& std::movable<D>&& requires(
            D& device, const D& constant, std::size_t n, std::uint32_t* numbers,
            std::span<const std::uint32_t> begin, typename D::template Buffer<std::uint64_t>& keys,
            typename D::template Buffer<std::uint32_t>& values, void (*visit)(std::size_t),
            double (*value)(std::size_t), double (*combine)(double, double),
            std::uint32_t (*number)(std::size_t), bool (*chosen)(std::uint32_t),
            int (*bin)(std::size_t), WeighedBin (*weighed)(std::size_t),
            void (*task)(detail::Scratch&, std::size_t),
            void (*adding)(detail::Scratch&, std::size_t, AddedTasks&)) {
  requires std::constructible_from<typename D::Timer, const D&>;
  { D::is_host } -> std::convertible_to<bool>;  // whether its memory is the host's
  { D::count() } -> std::same_as<int>;          // see DeviceFacts
  { D::problem_with(int()) } -> std::same_as<std::string>;
  constant.for_each(n, visit);  // visit(i) for i = 0 ... n - 1, in any order and at once
  // the same for i = begin[k] ... begin[k + 1] - 1, one k after the other, the last k first
  constant.for_each_in_turn(begin, visit);
  // value(0) ... value(n - 1) combined, in a way that does not depend on the number of threads;
  // `combine` is associative
  { constant.reduce(n, 0.0, value, combine) } -> std::same_as<double>;
  // The same later: get() waits, unless the device was waited for in between.
  {
    constant.start_reduce(n, 0.0, value, combine)
    } -> std::same_as<typename D::template Later<double>>;
  // numbers[i] = number(0) + ... + number(i - 1) for i = 0 ... n; returns the last
  { constant.exclusive_scan(n, number, numbers) } -> std::same_as<std::uint32_t>;
  constant.select(n, chosen, numbers);  // the i that are chosen, ascending
  // how many i have bin(i) = 0, 1, ..., or what they weigh together; calls bin once for each
  { constant.template histogram<4>(n, bin) } -> std::same_as<std::array<std::uint32_t, 4>>;
  {
    constant.template histogram<4, std::uint64_t>(n, weighed)
    } -> std::same_as<std::array<std::uint64_t, 4>>;
  {
    constant.template start_histogram<4>(n, bin).get()
    } -> std::convertible_to<std::array<std::uint32_t, 4>>;
  device.sort_pairs(keys, values, 63);  // stable, by the lowest bits
  // task(scratch, k) for k = 0 ... n - 1. A warp takes the next task that nobody has. The scratch
  // is its own, in its fastest memory: a trivial type, of undefined value at the first task, with n
  // more bytes behind it. Scratch may name the `registers` of a GPU thread. Where it has a member
  // `warp`, it finds its number there, below warps().
  constant.template for_each_warp<detail::Scratch>(n, task, n);
  // The same with tasks that may add tasks; the k-th of these is task n + k.
  constant.template for_each_warp_adding<detail::Scratch>(n, adding, n);
  { constant.scratch_limit() } -> std::same_as<std::size_t>;  // bytes, what lies behind included
  { constant.block_sizes() } -> std::same_as<BlockSizes>;     // in use; 0 where there are none
  { constant.another() } -> std::same_as<D>;                  // on the same hardware
  constant.synchronize();                                     // waits until all work is done
  { constant.identity() } -> std::same_as<DeviceIdentity>;
  { constant.threads() } -> std::same_as<int>;
  { constant.warps() } -> std::same_as<std::size_t>;        // that run at once
  { constant.free_memory() } -> std::same_as<std::size_t>;  // bytes
  { constant.used_memory() } -> std::same_as<std::size_t>;
};

}  // namespace gothic
