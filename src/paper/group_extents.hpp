#pragma once

#include <cmath>
#include <cstdint>

#include "core/device/combine.hpp"
#include "core/gravity/variation.hpp"

/// Groups that are cut where they are wide (Miki & Umemura 2017, section 2.4).
namespace gothic {

/// Square of the diagonal of the bounding box of count >= 1 targets.
GOTHIC_HD inline float squared_diagonal(const Vec4* position, const std::uint32_t* targets,
                                        std::uint32_t count) {
  Vec4 low = position[targets[0]], high = low;
  for (std::uint32_t i = 1; i < count; ++i) {
    const Vec4 p = position[targets[i]];
    low = {p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z, 0};
    high = {p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y, p.z > high.z ? p.z : high.z,
            0};
  }
  const float dx = high.x - low.x, dy = high.y - low.y, dz = high.z - low.z;
  return dx * dx + dy * dy + dz * dz;
}

/// Cuts a block of targets into groups: a piece whose bounding box has a half diagonal above
/// `extent` is halved until it is small enough, if need be to single targets.
struct BlockCutter {
  const Vec4* position;
  const std::uint32_t* targets;
  float widest2;  ///< square of the largest diagonal

  /// Length of the group that begins at `first`, `offset` places into its block of `block` places.
  GOTHIC_HD std::uint32_t length(std::uint32_t first, std::uint32_t offset, std::uint32_t block,
                                 std::uint32_t rest) const {
    std::uint32_t length = block;
    while (length > 1 && (offset % length != 0 || too_wide(first, length, rest))) {
      length /= 2;
    }
    return length < rest ? length : rest;
  }
  GOTHIC_HD bool too_wide(std::uint32_t first, std::uint32_t length, std::uint32_t rest) const {
    return squared_diagonal(position, targets + first, length < rest ? length : rest) > widest2;
  }
};

/// Groups n targets, in their order, by `size` (a power of two); groups that are wider than
/// `extent` (r_crit: half the diagonal of the bounding box) are halved.
template <class Device>
void make_narrow_groups(Device& device, Groups<Device>& groups, const Vec4* position,
                        const std::uint32_t* targets, std::uint32_t n, std::uint32_t size,
                        float extent) {
  const std::uint32_t blocks = (n + size - 1) / size;
  groups.offset.resize(blocks + 1);
  const BlockCutter cutter{position, targets, 4 * extent * extent};
  const auto cut = [=] GOTHIC_DEVICE(std::uint32_t block, Range * out) {
    const std::uint32_t begin = block * size;
    const std::uint32_t count = n - begin < size ? n - begin : size;
    std::uint32_t pieces = 0;
    for (std::uint32_t done = 0; done < count; ++pieces) {
      const std::uint32_t length = cutter.length(begin + done, done, size, count - done);
      if (out != nullptr) out[pieces] = {begin + done, length};
      done += length;
    }
    return pieces;
  };
  std::uint32_t* const offset = groups.offset.data();
  groups.count = device.exclusive_scan(
      blocks, [=] GOTHIC_DEVICE(std::size_t i) { return cut(std::uint32_t(i), nullptr); }, offset);
  groups.ranges.resize(groups.count);
  Range* const ranges = groups.ranges.data();
  device.for_each(blocks, [=] GOTHIC_DEVICE(std::size_t i) {
    if (offset[i + 1] - offset[i] == 1) {  // most blocks are not cut
      const std::uint32_t begin = std::uint32_t(i) * size;
      ranges[offset[i]] = {begin, n - begin < size ? n - begin : size};
    } else {
      cut(std::uint32_t(i), ranges + offset[i]);
    }
  });
}

/// Half diagonals of the bounding boxes of groups, as logarithms to base 2.
struct GroupExtents {
  double mean_log2 = 0, largest_log2 = 0;
};

/// Sum of log2(extent), number of extents, largest squared extent.
struct ExtentSums {
  double sum = 0, count = 0;
  float largest2 = 0;

  GOTHIC_HD friend ExtentSums operator+(const ExtentSums& a, const ExtentSums& b) {
    return {a.sum + b.sum, a.count + b.count, a.largest2 > b.largest2 ? a.largest2 : b.largest2};
  }
};

/// The extents of the groups that are wider than a point.
template <class Device>
GroupExtents group_extents(Device& device, const GroupsOfTargets& groups) {
  const Range* const ranges = groups.groups;
  const Vec4* const position = groups.position;
  const std::uint32_t* const targets = groups.targets;
  const ExtentSums all = device.reduce(
      groups.group_count, ExtentSums(),
      [=] GOTHIC_DEVICE(std::size_t i) {
        const float extent2 =
            squared_diagonal(position, targets + ranges[i].first, ranges[i].count) / 4;
        if (!(extent2 > 0)) return ExtentSums();
        return ExtentSums{0.5 * std::log2(double(extent2)), 1, extent2};
      },
      Sum{});
  if (all.count == 0) return {};
  return {all.sum / all.count, 0.5 * std::log2(double(all.largest2))};
}

}  // namespace gothic
