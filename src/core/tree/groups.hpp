#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/tree/tree.hpp"

namespace gothic {

/// Particles that walk the tree together: consecutive parts of a list of targets.
template <class Device>
struct Groups {
  typename Device::template Buffer<Range> ranges;          ///< [count] parts of the list of targets
  typename Device::template Buffer<std::uint32_t> offset;  ///< scratch
  std::uint32_t count = 0;
};

namespace detail {

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
/// `extent` is halved until it is small enough or has `smallest` targets.
class BlockCutter {
 public:
  GOTHIC_HD BlockCutter(const Vec4* position, const std::uint32_t* targets, float extent,
                        std::uint32_t smallest)
      : position_(position),
        targets_(targets),
        widest2_(4 * extent * extent),
        smallest_(smallest) {}

  /// Length of the group that begins at `first`, `offset` places into its block of `block` places.
  GOTHIC_HD std::uint32_t length(std::uint32_t first, std::uint32_t offset, std::uint32_t block,
                                 std::uint32_t rest) const {
    std::uint32_t length = block;
    while (length > smallest_ && (offset % length != 0 || too_wide(first, length, rest))) {
      length /= 2;
    }
    return length < rest ? length : rest;
  }

 private:
  GOTHIC_HD bool too_wide(std::uint32_t first, std::uint32_t length, std::uint32_t rest) const {
    return squared_diagonal(position_, targets_ + first, length < rest ? length : rest) > widest2_;
  }

  const Vec4* position_;
  const std::uint32_t* targets_;
  float widest2_;  ///< square of the largest diagonal
  std::uint32_t smallest_;
};

}  // namespace detail

/// Whether an extent is one above which groups are cut.
constexpr bool is_limit(float extent) { return extent <= std::numeric_limits<float>::max() / 2; }

/// Groups the n targets, in their order, by `size` (a power of two); groups that are wider than
/// `extent` (r_crit of Miki & Umemura 2017, section 2.4: half the diagonal of the bounding box) are
/// halved, down to `smallest` targets. An extent near the largest number is no limit.
template <class Device>
void make_groups(Device& device, Groups<Device>& groups, const Vec4* position,
                 const std::uint32_t* targets, std::uint32_t n, std::uint32_t size,
                 std::uint32_t smallest, float extent) {
  const std::uint32_t blocks = (n + size - 1) / size;
  if (!is_limit(extent)) {  // every block is a group
    groups.count = blocks;
    groups.ranges.resize(blocks);
    Range* const ranges = groups.ranges.data();
    device.for_each(blocks, [=] GOTHIC_HD(std::size_t i) {
      const std::uint32_t begin = std::uint32_t(i) * size;
      ranges[i] = {begin, n - begin < size ? n - begin : size};
    });
    return;
  }
  groups.offset.resize(blocks + 1);
  const detail::BlockCutter cutter(position, targets, extent, smallest);
  const auto cut = [=] GOTHIC_HD(std::uint32_t block, Range * out) {
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
      blocks, [=] GOTHIC_HD(std::size_t i) { return cut(std::uint32_t(i), nullptr); }, offset);
  groups.ranges.resize(groups.count);
  Range* const ranges = groups.ranges.data();
  device.for_each(blocks, [=] GOTHIC_HD(std::size_t i) {
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

namespace detail {

/// Of logarithms to base 2, of what they are taken, and the largest square of the latter.
struct ExtentSums {
  double sum = 0, count = 0;
  float largest2 = 0;
};

}  // namespace detail

/// The extents of the groups that are wider than a point; those that make_groups made last.
template <class Device>
GroupExtents group_extents(Device& device, const Groups<Device>& groups, const Vec4* position,
                           const std::uint32_t* targets) {
  const Range* const ranges = groups.ranges.data();
  using Sums = detail::ExtentSums;
  const Sums all = device.reduce(
      groups.count, Sums(),
      [=] GOTHIC_HD(std::size_t i) {
        const float extent2 =
            detail::squared_diagonal(position, targets + ranges[i].first, ranges[i].count) / 4;
        if (!(extent2 > 0)) return Sums();
        return Sums{0.5 * std::log2(double(extent2)), 1, extent2};
      },
      [] GOTHIC_HD(const Sums& a, const Sums& b) {
        return Sums{a.sum + b.sum, a.count + b.count,
                    a.largest2 > b.largest2 ? a.largest2 : b.largest2};
      });
  if (all.count == 0) return {};
  return {all.sum / all.count, 0.5 * std::log2(double(all.largest2))};
}

}  // namespace gothic
