#pragma once

#include <cmath>
#include <cstdint>

#include "core/tree/moments.hpp"

namespace gothic {

namespace detail {

/// Finds the largest distance of a cell's particles from its centre: a search that leaves out
/// descendants which lie inside the ball of the farthest particle found so far. It goes to the
/// child that reaches farthest first, since a far particle leaves out most of the others.
struct FarthestParticle {
  const Vec4* position;
  const Vec4* center;
  const float* size;  ///< of the descendants, at least
  const Range* particles;
  const std::uint32_t* children;

  GOTHIC_HD float operator()(std::size_t cell) const {
    constexpr int room = 8 * (tree::key_levels + 1);
    const Vec4 middle = center[cell];
    struct Open {
      std::uint32_t cell;
      float reach;  ///< no particle of the cell is farther
    } open[room];
    int size_of_open = 0;
    open[size_of_open++] = {std::uint32_t(cell), INFINITY};
    float farthest = 0;
    while (size_of_open > 0) {
      const auto [next, reach] = open[--size_of_open];
      if (reach <= farthest) continue;
      if (children[next] == 0) {
        const Range own = particles[next];
        for (std::uint32_t i = own.first; i < own.first + own.count; ++i) {
          farthest = std::fmax(farthest, distance(position[i], middle));
        }
        continue;
      }
      const int first = size_of_open;
      const Range own = Family::range(children[next]);
      for (std::uint32_t k = own.first; k < own.first + own.count; ++k) {
        const Open child{k, distance(center[k], middle) + size[k]};
        if (child.reach <= farthest) continue;
        const bool is_nearer = size_of_open > first && open[size_of_open - 1].reach > child.reach;
        open[size_of_open] = is_nearer ? open[size_of_open - 1] : child;
        if (is_nearer) open[size_of_open - 1] = child;
        ++size_of_open;
      }
    }
    return farthest;
  }

  GOTHIC_HD static float distance(const Vec4& a, const Vec4& b) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return std::sqrt(x * x + y * y + z * z);
  }
};

}  // namespace detail

/// Measures the size b_J of every cell of the own tree as published: the largest distance of its
/// particles from r_J. The sizes must be upper bounds, as update_moments leaves them. All cells are
/// searched at once: a search takes long, and a GPU would wait for one in every level.
/// \param exact overwritten
template <class Device>
void measure_exactly(Device& device, Tree<Device>& tree, const Vec4* position,
                     typename Device::template Buffer<float>& exact) {
  const detail::FarthestParticle farthest{position, tree.center.data(), tree.size.data(),
                                          tree.particles.data(), tree.children.data()};
  exact.resize(tree.cells());
  float *const size = tree.size.data(), *const found = exact.data();
  device.for_each(tree.cells(), [=] GOTHIC_DEVICE(std::size_t cell) {
    const bool is_leaf = farthest.children[cell] == 0;
    found[cell] = is_leaf ? size[cell] : detail::size_safety * farthest(cell);
  });
  device.for_each(tree.cells(), [=] GOTHIC_DEVICE(std::size_t cell) { size[cell] = found[cell]; });
}

}  // namespace gothic
