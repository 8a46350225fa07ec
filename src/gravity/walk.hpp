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

/// Forces on all targets by the walks of single groups.
template <int K, Root root, class Device>
void walk_groups(const Device& device, const WalkData& data) {
  using Warp = typename Device::Warp;
  using Scratch = StackScratch<Warp>;
  device.template for_each_warp<Scratch>(
      data.group_count, [=] GOTHIC_HD(Scratch & scratch, std::size_t group) {
        StackWalk<Warp, K, root>(data, scratch, std::uint32_t(group)).run();
      });
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
