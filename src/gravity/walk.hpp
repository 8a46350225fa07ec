#pragma once

#include <cstdint>

#include "gravity/bundle_walk.hpp"
#include "gravity/stack_walk.hpp"

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
constexpr std::uint32_t part_size(std::uint32_t group_size) { return group_size > 8 ? group_size / 4 : 2; }

/// Walks of tasks, each of which has `size` particles at most: those of `data.groups`, or the parts
/// that the walks before left in `parts`. Leaves the parts of those that should be split in `next`;
/// those of two particles are not.
template <int K, Root root, class Device, class Tasks, class TaskAt>
void walk_tasks(const Device& device, const WalkData& data, Tasks tasks, TaskAt task_at,
                std::uint32_t size, bool first, Part* next, std::uint32_t* next_count) {
  using Warp = typename Device::Warp;
  using Scratch = StackScratch<Warp>;
  const int sharing = lanes_sharing<Warp, K>(size);
  const std::uint32_t smaller = part_size(size);
  const bool may_be_split = data.split_ratio > 0 && size > smaller;
  device.template for_each_warp<Scratch>(tasks, [=] GOTHIC_HD(Scratch & scratch, std::size_t i) {
    const Part task = task_at(i);
    StackWalk<Warp, K, root> walk(data, scratch, task.targets, sharing);
    if (!walk.run(may_be_split && task.targets.count > smaller)) {
      const std::uint32_t parts = (task.targets.count + smaller - 1) / smaller;
      const std::uint32_t place = Warp::add(next_count, parts);
      for (std::uint32_t k = 0; k < parts; ++k) {
        const std::uint32_t done = k * smaller, rest = task.targets.count - done;
        next[place + k] = {{task.targets.first + done, rest < smaller ? rest : smaller}, task.group};
      }
    }
    if (first) {
      data.counts[task.group] = walk.count();
    } else {
      Warp::add(&data.counts[task.group].interactions, walk.count().interactions);
      Warp::add(&data.counts[task.group].cells_judged, walk.count().cells_judged);
    }
  });
}

}  // namespace detail

/// Forces on all targets by the walks of single groups; groups that turn out to be wide are split.
template <int K, Root root, class Device>
void walk_groups(const Device& device, const WalkData& data) {
  std::uint32_t* const counts = data.part_count;
  device.for_each(8, [=] GOTHIC_HD(std::size_t i) { counts[i] = 0; });
  const Range* const groups = data.groups;
  std::uint32_t size = data.group_size;
  detail::walk_tasks<K, root>(
      device, data, std::size_t(data.group_count),
      [=] GOTHIC_HD(std::size_t i) { return Part{groups[i], std::uint32_t(i)}; }, size, true,
      data.parts[0], counts);
  if (data.split_ratio <= 0) return;
  for (int pass = 0; size > 2; ++pass) {
    size = detail::part_size(size);
    const Part* const parts = data.parts[pass % 2];
    detail::walk_tasks<K, root>(
        device, data, static_cast<const std::uint32_t*>(counts + pass),
        [=] GOTHIC_HD(std::size_t i) { return parts[i]; }, size, false, data.parts[(pass + 1) % 2],
        counts + pass + 1);
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
