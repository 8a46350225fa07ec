#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/tree/keys.hpp"
#include "core/tree/tree.hpp"
#include "tests/core/device/devices.hpp"
#include "tests/core/tree/particles.hpp"

/// Trees on a device and their copies on the host.
namespace gothic::test {

/// Key of the ancestor at `level` (0: the whole cube) of the finest cell that has `key`.
inline tree::Key key_prefix(tree::Key key, int level) {
  return key >> (3 * (tree::key_levels - level));
}

/// Particles in the order of their keys.
struct Sorted {
  MassPoints particles;
  std::vector<tree::Key> keys;
};

inline Sorted sorted_by_key(const MassPoints& particles) {
  const float far = std::numeric_limits<float>::max();
  float low[3] = {far, far, far}, high[3] = {-far, -far, -far};
  for (const Vec4& p : particles) {
    const float at[3] = {p.x, p.y, p.z};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], at[axis]);
      high[axis] = std::max(high[axis], at[axis]);
    }
  }
  const auto cube = tree::KeyCube::around(low, high);
  std::vector<tree::Key> keys(particles.size());
  tree::encode_positions<tree::PeanoHilbert>(
      cube, [&](std::size_t i) { return particles[i]; }, particles.size(), keys.data());
  auto order = numbers(particles.size());
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return keys[i]; });
  Sorted result;
  for (const std::uint32_t i : order) {
    result.particles.push_back(particles[i]);
    result.keys.push_back(keys[i]);
  }
  return result;
}

template <class Device>
void build(Device& device, Tree<Device>& tree, const std::vector<tree::Key>& keys,
           std::uint32_t leaf_capacity) {
  const auto on_device = to_device<Device>(keys);
  build_tree(device, tree, on_device.data(), std::uint32_t(keys.size()), leaf_capacity);
  device.synchronize();
}

/// Cells and their levels on the host.
struct Topology {
  std::vector<std::uint32_t> level;
  std::vector<Range> particles, children;

  template <class Device>
  explicit Topology(const Tree<Device>& tree)
      : level(tree.level), particles(to_host(tree.particles)) {
    for (const std::uint32_t family : to_host(tree.children)) {
      children.push_back(Family::range(family));
    }
  }

  std::uint32_t cells() const { return std::uint32_t(particles.size()); }
  bool is_leaf(std::uint32_t cell) const { return children[cell].count == 0; }
};

}  // namespace gothic::test
