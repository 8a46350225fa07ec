#pragma once

#include <cstdint>
#include <limits>

#include "tree/tree.hpp"

namespace gothic {

/// Particles that walk the tree together: consecutive parts of a list of targets.
template <class Device>
struct Groups {
  typename Device::template Buffer<Range> ranges;          ///< [count] parts of the list of targets
  typename Device::template Buffer<std::uint32_t> offset;  ///< scratch
  std::uint32_t count = 0;
};

namespace detail {

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
    const std::uint32_t count = length < rest ? length : rest;
    Vec4 low = position_[targets_[first]], high = low;
    for (std::uint32_t i = 1; i < count; ++i) {
      const Vec4 p = position_[targets_[first + i]];
      low = {p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z, 0};
      high = {p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y, p.z > high.z ? p.z : high.z,
              0};
    }
    const float dx = high.x - low.x, dy = high.y - low.y, dz = high.z - low.z;
    return dx * dx + dy * dy + dz * dz > widest2_;
  }

  const Vec4* position_;
  const std::uint32_t* targets_;
  float widest2_;  ///< square of the largest diagonal
  std::uint32_t smallest_;
};

}  // namespace detail

/// Groups the n targets, in their order, by `size` (a power of two); groups that are wider than
/// `extent` (r_crit of Miki & Umemura 2017, section 2.4: half the diagonal of the bounding box) are
/// halved, down to `smallest` targets. An extent near the largest number is no limit.
template <class Device>
void make_groups(Device& device, Groups<Device>& groups, const Vec4* position,
                 const std::uint32_t* targets, std::uint32_t n, std::uint32_t size,
                 std::uint32_t smallest, float extent) {
  const std::uint32_t blocks = (n + size - 1) / size;
  if (extent > std::numeric_limits<float>::max() / 2) {  // no limit: every block is a group
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
  device.for_each(blocks,
                  [=] GOTHIC_HD(std::size_t i) { cut(std::uint32_t(i), ranges + offset[i]); });
}

}  // namespace gothic
