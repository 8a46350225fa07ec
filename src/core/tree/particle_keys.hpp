#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/communicator.hpp"
#include "core/device/vec4.hpp"
#include "core/tree/keys.hpp"

namespace gothic {

/// Order of the particles in memory.
enum class Curve { hilbert, morton };

/// The smallest box that holds some positions.
struct Box {
  float low[3], high[3];
};

/// Box around the positions of all ranks, of which the own one has n.
template <class Device>
Box bounding_box(Device& device, const Vec4* position, std::uint32_t n,
                 Communicator* ranks = nullptr) {
  const float far = 3e38F;
  return reduce_all(
      device, ranks, n, Box{{far, far, far}, {-far, -far, -far}},
      [=] GOTHIC_HD(std::size_t i) {
        const Vec4 p = position[i];
        return Box{{p.x, p.y, p.z}, {p.x, p.y, p.z}};
      },
      [] GOTHIC_HD(Box a, const Box& b) {
        for (int axis = 0; axis < 3; ++axis) {
          a.low[axis] = b.low[axis] < a.low[axis] ? b.low[axis] : a.low[axis];
          a.high[axis] = b.high[axis] > a.high[axis] ? b.high[axis] : a.high[axis];
        }
        return a;
      });
}

namespace detail {

template <class Curve, class Device>
void encode_all(Device& device, const tree::KeyCube& cube, const Vec4* position, std::uint32_t n,
                tree::Key* keys) {
  constexpr std::uint32_t block = Device::Defaults::key_block;
  device.for_each((n + block - 1) / block, [=] GOTHIC_HD(std::size_t i) {
    const std::uint32_t first = std::uint32_t(i) * block;
    const std::uint32_t count = n - first < block ? n - first : block;
    tree::encode_positions<Curve, block>(
        cube, [=](std::size_t k) { return position[first + k]; }, count, keys + first);
  });
}

}  // namespace detail

/// Keys of all particles in the cube around them.
/// \param ranks that have other particles, for which the cube is the same; null if there are none
/// \param keys, order [n] result: the keys, and 0 ... n - 1 to be sorted with them
template <class Device>
void make_keys(Device& device, const Vec4* position, std::uint32_t n, Curve curve, tree::Key* keys,
               std::uint32_t* order, Communicator* ranks = nullptr) {
  const Box box = bounding_box(device, position, n, ranks);
  const auto cube = tree::KeyCube::around(box.low, box.high);
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { order[i] = std::uint32_t(i); });
  if (curve == Curve::hilbert) {
    detail::encode_all<tree::PeanoHilbert>(device, cube, position, n, keys);
  } else {
    detail::encode_all<tree::Morton>(device, cube, position, n, keys);
  }
}

}  // namespace gothic
