#pragma once

#include <cstdint>

#include "core/tree/tree.hpp"

namespace gothic {

/// Particles that walk the tree together: consecutive parts of a list of targets.
template <class Device>
struct Groups {
  typename Device::template Buffer<Range> ranges;          ///< [count] parts of the list of targets
  typename Device::template Buffer<std::uint32_t> offset;  ///< scratch
  std::uint32_t count = 0;
};

/// Groups n targets, in their order, by `size`.
template <class Device>
void make_groups(Device& device, Groups<Device>& groups, std::uint32_t n, std::uint32_t size) {
  groups.count = (n + size - 1) / size;
  groups.ranges.resize(groups.count);
  Range* const ranges = groups.ranges.data();
  device.for_each(groups.count, [=] GOTHIC_DEVICE(std::size_t i) {
    const std::uint32_t begin = std::uint32_t(i) * size;
    ranges[i] = {begin, n - begin < size ? n - begin : size};
  });
}

}  // namespace gothic
