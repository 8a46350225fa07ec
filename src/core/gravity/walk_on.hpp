#pragma once

#include <cstdint>

#include "core/device/launch_sizes.hpp"
#include "core/device/power_of_two.hpp"
#include "core/gravity/bundle_walk.hpp"
#include "core/gravity/group_walk.hpp"
#include "core/gravity/walk.hpp"

namespace gothic {

/// Forces on all targets by the walks of bundles of B groups, K particles per lane.
template <int K, int B, Root root, Order order, Lengths lengths, class Device>
void walk_bundles(const Device& device, const WalkData& data) {
  using Warp = typename Device::Warp;
  using Scratch = BundleScratch<Warp>;
  device.template for_each_warp<Scratch>(
      bundle_count<B>(data.group_count), [=] GOTHIC_DEVICE(Scratch & scratch, std::size_t bundle) {
        BundleWalk<Warp, K, B, root, order, lengths>(data, scratch, std::uint32_t(bundle)).run();
      });
}

namespace detail {

/// The group whose walk begins first, a little before the deepest cell of the tree. The walks there
/// are the longest, and should not be the last.
GOTHIC_HD inline std::uint32_t first_group(const WalkData& data) {
  const std::uint32_t particles = data.tree.particles[0].count, before = particles / 32;
  const std::uint32_t deepest = data.tree.particles[data.deepest_cell].first;
  const std::uint32_t place = deepest < before ? deepest + (particles - before) : deepest - before;
  return std::uint32_t(float(data.group_count) * (float(place) / float(particles)));
}

/// The group of a task.
GOTHIC_HD inline std::uint32_t group_of(const WalkData& data, std::uint32_t task) {
  const std::uint32_t group = task + first_group(data);
  return group < data.group_count ? group : group - data.group_count;
}

/// Adds the parts of a group to the tasks.
/// \param list what the added tasks are to do
template <class Warp>
GOTHIC_HD void add_parts(const Parts& parts, Range* list, AddedTasks& added) {
  Warp::add_tasks(added, parts.count(), [=](std::uint32_t begin) {
    for (std::uint32_t k = 0; k < parts.count(); ++k) list[begin + k] = parts[k];
  });
}

/// Walks of single groups. The compiler knows how many lanes share a particle: with the code for
/// all numbers in one kernel, walks took 3 to 7 % longer on an H200.
template <int K, Root root, Order order, Lengths lengths, int sharing, class Device, class Way>
void walk_groups(const Device& device, const WalkData& data, const Way& way) {
  using Warp = typename Device::Warp;
  using Scratch = GroupScratch<Warp, order, lengths, Way>;
  const std::uint32_t groups = data.group_count;
  device.for_each(groups + 1, [=] GOTHIC_DEVICE(std::size_t i) { data.counts[i] = {}; });
  const auto walk_task = [=] GOTHIC_DEVICE(Scratch & scratch, std::size_t task,
                                           AddedTasks & added) {
    const bool is_part = task >= groups;
    const std::uint32_t group = is_part ? groups : group_of(data, std::uint32_t(task));
    const Range targets = is_part ? data.parts[task - groups] : data.groups[group];
    const Neighbourhood neighbours = is_part ? Neighbourhood{} : data.neighbours;
    scratch.targets = targets;
    scratch.group = group;
    GroupWalk<Warp, K, sharing, root, order, lengths, Way> walk(
        data, scratch, targets, neighbours,
        is_part || data.balls == nullptr ? nullptr : data.balls + group, way);
    const bool may_be_split = targets.count > 1 || neighbours.particles > 0;
    const bool done = walk.run(data.split_ratio > 0 && may_be_split);
    walk.add_counts(data.counts[scratch.group]);
    if (!done) add_parts<Warp>(Parts{scratch.targets}, data.parts, added);
  };
  device.template for_each_warp_adding<Scratch>(groups, walk_task,
                                                Scratch::bytes_behind(data.list_capacity));
}

}  // namespace detail

/// Forces on all targets by the walks of single groups; groups that turn out to be wide are split.
/// \param way how a walk goes through the tree
template <int K, Root root, Order order, Lengths lengths, class Device, class Way = DepthFirst>
void walk_groups(const Device& device, const WalkData& data, const Way& way = {}) {
  using Warp = typename Device::Warp;
  with_power_of_two<1, Warp::most_sharing>(
      lanes_sharing<Warp, K>(data.group_size), [&]<int sharing>() {
        detail::walk_groups<K, root, order, lengths, sharing>(device, data, way);
      });
}

/// Calls `walk.operator()<K, root, order>()` with the particles per lane, the root and the order as
/// the compiler knows them.
template <class Device, class Walk>
void walk_with(Root root, const WalkData& data, const Walk& walk) {
  using Warp = typename Device::Warp;
  using Defaults = typename Device::Defaults;
  const auto with_root = [&]<int K, Root known_root>() {
    with_order(data.acceptance.order,
               [&]<Order order>() { walk.template operator()<K, known_root, order>(); });
  };
  const int registers = (int(data.group_size) + Warp::width - 1) / Warp::width;
  with_power_of_two<Warp::least_per_lane, Defaults::most_per_lane>(registers, [&]<int K>() {
    if constexpr (!Warp::estimate_is_exact) {
      if (root == Root::estimate) return with_root.template operator()<K, Root::estimate>();
    }
    with_root.template operator()<K, Root::newton>();
  });
}

template <Lengths lengths, class Device>
void walk(const Device& device, Root root, const WalkData& data) {
  using Defaults = typename Device::Defaults;
  walk_with<Device>(root, data, [&]<int K, Root known_root, Order order>() {
    if constexpr (Defaults::bundle_size > 1) {
      walk_bundles<K, Defaults::bundle_size, known_root, order, lengths>(device, data);
    } else {
      walk_groups<K, known_root, order, lengths>(device, data);
    }
  });
}

}  // namespace gothic
