#pragma once

#include <cstdint>

#include "core/device/power_of_two.hpp"
#include "core/gravity/bundle_walk.hpp"
#include "core/gravity/stack_walk.hpp"
#include "core/gravity/walk.hpp"

namespace gothic {

/// Forces on all targets by the walks of bundles of B groups, K particles per lane.
template <int K, int B, Root root, Order order, class Device>
void walk_bundles(const Device& device, const WalkData& data) {
  using Warp = typename Device::Warp;
  using Scratch = BundleScratch<Warp>;
  device.template for_each_warp<Scratch>(
      bundle_count<B>(data.group_count), [=] GOTHIC_HD(Scratch & scratch, std::size_t bundle) {
        BundleWalk<Warp, K, B, root, order>(data, scratch, std::uint32_t(bundle)).run();
      });
}

namespace detail {

/// Appends the parts of a group to a list that all warps share.
template <class Warp>
GOTHIC_HD void list_parts(Range targets, std::uint32_t size, Range* list, std::uint32_t* count) {
  const std::uint32_t parts = (targets.count + size - 1) / size, begin = Warp::add(count, parts);
  for (std::uint32_t k = 0; k < parts; ++k) {
    const std::uint32_t done = k * size, rest = targets.count - done;
    list[begin + k] = {targets.first + done, rest < size ? rest : size};
  }
}

/// Groups, or parts of groups that were split, that walk now; and the list of their own parts.
struct WalkList {
  const Range* groups;
  std::uint32_t size;        ///< largest number of particles in one
  Neighbourhood neighbours;  ///< that count for the ball and the scale of one
  const Vec4* balls;         ///< null for those of their boxes
  Range* split;              ///< result: parts of the groups that are split now
  std::uint32_t* split_count;
};

/// Walks of single groups. The compiler knows how many lanes share a particle: with the code for
/// all numbers in one kernel, walks took 3 to 7 % longer on an H200.
/// \tparam are_parts whether they are counted with the first group
/// \param tasks the number of groups, or a device pointer to it
template <int K, Root root, Order order, int sharing, bool are_parts, class Device, class Tasks>
void walk_list(const Device& device, const WalkData& data, const WalkList& list, Tasks tasks) {
  using Warp = typename Device::Warp;
  using Scratch = StackScratch<Warp>;
  const std::uint32_t smaller = part_size(list.size);
  const auto walk_task = [=] GOTHIC_HD(Scratch & scratch, std::size_t i) {
    const Range targets = list.groups[i];
    StackWalk<Warp, K, root, order> walk(data, scratch, targets, sharing, list.neighbours,
                                         list.balls != nullptr ? list.balls + i : nullptr);
    const bool may_be_split = targets.count > 1 || list.neighbours.particles > 0;
    const bool done = walk.run(data.split_ratio > 0 && may_be_split);
    const WalkCount count = walk.count();
    if constexpr (are_parts) {
      Warp::add(&data.counts[0].interactions, count.interactions);
      Warp::add(&data.counts[0].quadrupole_interactions, count.quadrupole_interactions);
      Warp::add(&data.counts[0].cells_judged, count.cells_judged);
    } else {
      data.counts[i] = count;
    }
    if (!done) list_parts<Warp>(targets, smaller, list.split, list.split_count);
  };
  device.template for_each_warp<Scratch>(tasks, walk_task,
                                         Scratch::bytes_behind(data.list_capacity));
}

}  // namespace detail

/// Forces on all targets by the walks of single groups; groups that turn out to be wide are split.
template <int K, Root root, Order order, class Device>
void walk_groups(const Device& device, const WalkData& data) {
  using Warp = typename Device::Warp;
  std::uint32_t* const part_counts = data.part_counts;
  device.for_each(8, [=] GOTHIC_HD(std::size_t i) { part_counts[i] = 0; });
  const auto walk_all = [&]<bool are_parts>(const detail::WalkList& list, auto tasks) {
    with_power_of_two<1, Warp::most_sharing>(lanes_sharing<Warp, K>(list.size), [&]<int sharing>() {
      detail::walk_list<K, root, order, sharing, are_parts>(device, data, list, tasks);
    });
  };
  std::uint32_t size = data.group_size;
  walk_all.template operator()<false>(
      {data.groups, size, data.neighbours, data.balls, data.parts[0], part_counts},
      std::size_t(data.group_count));
  if (data.split_ratio <= 0) return;
  for (int pass = 0; size > 1 || (pass == 0 && data.neighbours.particles > 0); ++pass) {
    size = part_size(size);
    walk_all.template operator()<true>({data.parts[pass % 2], size, Neighbourhood{}, nullptr,
                                        data.parts[(pass + 1) % 2], part_counts + pass + 1},
                                       static_cast<const std::uint32_t*>(part_counts + pass));
  }
}

template <class Device>
void walk(const Device& device, Root root, const WalkData& data) {
  using Warp = typename Device::Warp;
  using Defaults = typename Device::Defaults;
  const auto with = [&]<int K, Root known_root, Order order>() {
    if constexpr (Defaults::bundle_size > 1) {
      walk_bundles<K, Defaults::bundle_size, known_root, order>(device, data);
    } else {
      walk_groups<K, known_root, order>(device, data);
    }
  };
  const auto with_order = [&]<int K, Root known_root>() {
    if (data.acceptance.order == Order::point) {
      with.template operator()<K, known_root, Order::point>();
    } else {
      with.template operator()<K, known_root, Order::quadrupole>();
    }
  };
  const int registers = (int(data.group_size) + Warp::width - 1) / Warp::width;
  with_power_of_two<Warp::least_per_lane, Defaults::most_per_lane>(registers, [&]<int K>() {
    if constexpr (!Warp::estimate_is_exact) {
      if (root == Root::estimate) return with_order.template operator()<K, Root::estimate>();
    }
    with_order.template operator()<K, Root::newton>();
  });
}

}  // namespace gothic
