#pragma once

#include <cstdint>

#include "core/gravity/bundle_walk.hpp"
#include "core/gravity/stack_walk.hpp"

namespace gothic {

/// Number of bundles that so many groups make.
template <int B>
constexpr std::uint32_t bundle_count(std::uint32_t groups) {
  return (groups + B - 1) / B;
}

/// Forces on all targets by the walks of bundles of B groups, K particles per lane.
template <int K, int B, Root root, class Device>
void walk_bundles(const Device& device, const WalkData& data) {
  using Warp = typename Device::Warp;
  using Scratch = BundleScratch<Warp>;
  device.template for_each_warp<Scratch>(
      bundle_count<B>(data.group_count), [=] GOTHIC_HD(Scratch & scratch, std::size_t bundle) {
        BundleWalk<Warp, K, B, root>(data, scratch, std::uint32_t(bundle)).run();
      });
}

namespace detail {

/// Particles of the parts of a group that is split.
constexpr std::uint32_t part_size(std::uint32_t group_size) {
  return group_size > 4 ? group_size / 4 : 1;
}

/// Appends the parts of a group to a list that all warps share.
template <class Warp>
GOTHIC_HD void list_parts(Range targets, std::uint32_t size, Range* list, std::uint32_t* count) {
  const std::uint32_t parts = (targets.count + size - 1) / size, begin = Warp::add(count, parts);
  for (std::uint32_t k = 0; k < parts; ++k) {
    const std::uint32_t done = k * size, rest = targets.count - done;
    list[begin + k] = {targets.first + done, rest < size ? rest : size};
  }
}

/// Walks of groups or their parts, of `size` particles at most. Those that should be split are,
/// into the list `next`. The compiler knows how many lanes share a particle: with the code for all
/// numbers in one kernel, walks took 3 to 7 % longer on an H200.
/// \param balls of the groups or parts; null for those of their boxes
template <int K, Root root, int sharing = 1, class Device, class Tasks, class TargetsAt,
          class Count>
void walk_tasks(const Device& device, const WalkData& data, Tasks tasks, TargetsAt targets_at,
                Count count, std::uint32_t size, const Neighbourhood& neighbours, const Vec4* balls,
                Range* next, std::uint32_t* next_count) {
  using Warp = typename Device::Warp;
  using Scratch = StackScratch<Warp>;
  if constexpr (sharing < Warp::most_sharing) {
    if (lanes_sharing<Warp, K>(size) > sharing) {
      return walk_tasks<K, root, 2 * sharing>(device, data, tasks, targets_at, count, size,
                                              neighbours, balls, next, next_count);
    }
  }
  const std::uint32_t smaller = part_size(size);
  const auto walk_task = [=] GOTHIC_HD(Scratch & scratch, std::size_t i) {
    const Range targets = targets_at(i);
    StackWalk<Warp, K, root> walk(data, scratch, targets, sharing, neighbours,
                                  balls != nullptr ? balls + i : nullptr);
    const bool may_be_split = targets.count > smaller || neighbours.particles > 0;
    const bool done = walk.run(data.split_ratio > 0 && may_be_split);
    count(i, walk.count());
    if (!done) list_parts<Warp>(targets, smaller, next, next_count);
  };
  device.template for_each_warp<Scratch>(tasks, walk_task,
                                         Scratch::bytes_behind(data.list_capacity));
}

}  // namespace detail

/// Forces on all targets by the walks of single groups; groups that turn out to be wide are split.
template <int K, Root root, class Device>
void walk_groups(const Device& device, const WalkData& data) {
  using Warp = typename Device::Warp;
  const Range* const groups = data.groups;
  WalkCount* const counts = data.counts;
  std::uint32_t* const part_counts = data.part_counts;
  device.for_each(8, [=] GOTHIC_HD(std::size_t i) { part_counts[i] = 0; });
  std::uint32_t size = data.group_size;
  detail::walk_tasks<K, root>(
      device, data, std::size_t(data.group_count),
      [=] GOTHIC_HD(std::size_t i) { return groups[i]; },
      [=] GOTHIC_HD(std::size_t i, const WalkCount& own) { counts[i] = own; }, size,
      data.neighbours, data.balls, data.parts[0], part_counts);
  if (data.split_ratio <= 0) return;
  for (int pass = 0; size > 1 || (pass == 0 && data.neighbours.particles > 0); ++pass) {
    size = detail::part_size(size);
    const Range* const parts = data.parts[pass % 2];
    detail::walk_tasks<K, root>(
        device, data, static_cast<const std::uint32_t*>(part_counts + pass),
        [=] GOTHIC_HD(std::size_t i) { return parts[i]; },
        [=] GOTHIC_HD(std::size_t, const WalkCount& own) {
          Warp::add(&counts[0].interactions, own.interactions);
          Warp::add(&counts[0].cells_judged, own.cells_judged);
        },
        size, Neighbourhood{}, nullptr, data.parts[(pass + 1) % 2], part_counts + pass + 1);
  }
}

/// Forces on all targets by the walk that suits the device.
template <int K, Root root, class Device>
void walk(const Device& device, const WalkData& data) {
  constexpr int bundle_size = Device::Defaults::bundle_size;
  if constexpr (bundle_size > 1) {
    walk_bundles<K, bundle_size, root>(device, data);
  } else {
    walk_groups<K, root>(device, data);
  }
}

}  // namespace gothic
