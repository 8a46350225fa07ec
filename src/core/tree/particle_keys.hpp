#pragma once

#include <algorithm>
#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/combine.hpp"
#include "core/device/vec4.hpp"
#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"
#include "core/tree/keys.hpp"

namespace gothic {

/// The curve that the particles follow in memory.
enum class Curve { hilbert, morton };

/// The smallest box that holds some positions.
struct Box {
  float low[3], high[3];
};

namespace detail {

struct JoinBoxes {
  GOTHIC_HD Box operator()(Box a, const Box& b) const {
    for (int axis = 0; axis < 3; ++axis) {
      a.low[axis] = b.low[axis] < a.low[axis] ? b.low[axis] : a.low[axis];
      a.high[axis] = b.high[axis] > a.high[axis] ? b.high[axis] : a.high[axis];
    }
    return a;
  }
};

}  // namespace detail

/// Box around the positions of all ranks; the own rank has n of them.
template <class Device>
Box bounding_box(Device& device, const Vec4* position, std::uint32_t n,
                 Communicator& ranks = one_rank()) {
  const float far = 3e38F;
  return reduce_all(
      device, ranks, n, Box{{far, far, far}, {-far, -far, -far}},
      [=] GOTHIC_DEVICE(std::size_t i) {
        const Vec4 p = position[i];
        return Box{{p.x, p.y, p.z}, {p.x, p.y, p.z}};
      },
      detail::JoinBoxes{});
}

/// Where the key cube lies about the particles.
enum class Placement {
  tight,    ///< the smallest cube
  centered  ///< its middle is the centre of mass, so that borders of domains meet there
};

namespace detail {

struct MassAndMoment {
  double mass, moment[3];

  GOTHIC_HD friend MassAndMoment operator+(MassAndMoment a, const MassAndMoment& b) {
    a.mass += b.mass;
    for (int axis = 0; axis < 3; ++axis) a.moment[axis] += b.moment[axis];
    return a;
  }
};

}  // namespace detail

/// The cube around the positions of all ranks; the own rank has n of them.
template <class Device>
tree::KeyCube key_cube(Device& device, const Vec4* position, std::uint32_t n, Placement placement,
                       Communicator& ranks = one_rank()) {
  Box box = bounding_box(device, position, n, ranks);
  if (placement == Placement::tight) return tree::KeyCube::around(box.low, box.high);
  const auto all = reduce_all(
      device, ranks, n, detail::MassAndMoment{},
      [=] GOTHIC_DEVICE(std::size_t i) {
        const Vec4 p = position[i];
        const double mass = p.w;
        return detail::MassAndMoment{mass, {mass * p.x, mass * p.y, mass * p.z}};
      },
      Sum{});
  if (all.mass <= 0) return tree::KeyCube::around(box.low, box.high);
  float center[3], half = 0;
  for (int axis = 0; axis < 3; ++axis) {
    center[axis] = float(all.moment[axis] / all.mass);
    half = std::max({half, box.high[axis] - center[axis], center[axis] - box.low[axis]});
  }
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = center[axis] - half;
    box.high[axis] = center[axis] + half;
  }
  return tree::KeyCube::around(box.low, box.high);
}

namespace detail {

template <class Curve, class Device>
void encode_all(Device& device, const tree::KeyCube& cube, const Vec4* position, std::uint32_t n,
                tree::Key* keys) {
  constexpr std::uint32_t block = Device::Defaults::key_block;
  device.for_each((n + block - 1) / block, [=] GOTHIC_DEVICE(std::size_t i) {
    const std::uint32_t first = std::uint32_t(i) * block;
    const std::uint32_t count = n - first < block ? n - first : block;
    tree::encode_positions<Curve, block>(
        cube, [=](std::size_t k) { return position[first + k]; }, count, keys + first);
  });
}

}  // namespace detail

/// Keys of all particles.
/// \param keys [n] result
template <class Device>
void make_keys(Device& device, const tree::KeyCube& cube, const Vec4* position, std::uint32_t n,
               Curve curve, tree::Key* keys) {
  if (curve == Curve::hilbert) {
    detail::encode_all<tree::PeanoHilbert>(device, cube, position, n, keys);
  } else {
    detail::encode_all<tree::Morton>(device, cube, position, n, keys);
  }
}

}  // namespace gothic
