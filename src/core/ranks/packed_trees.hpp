#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tree/tree.hpp"

/// Essential trees as they travel, one after another.
namespace gothic {

/// Numbers of cells and particles of an essential tree.
struct EssentialSize {
  std::uint32_t cells = 0, particles = 0;
};

/// Topology of essential trees, which lasts until they are pruned anew.
template <class Device>
struct PackedTopology {
  std::vector<EssentialSize> sizes;                            ///< [trees]
  typename Device::template Buffer<std::uint32_t> children{};  ///< [cells] see EssentialTree
  typename Device::template Buffer<Range> ranges{};            ///< [cells] see EssentialTree
  // shares in the softening, of which trees with equal lengths have none; see Tree
  typename Device::template Buffer<float> cell_shares{};      ///< [cells]
  typename Device::template Buffer<float> particle_shares{};  ///< [particles]
};

/// Values of the cells and particles of essential trees at the present time, as they travel.
struct EssentialValues {
  Vec4* particles;                ///< positions and masses
  Vec4* center;                   ///< see Tree
  MomentArrays<Pointer> moments;  ///< see Tree
  float* size;                    ///< see Tree
  Order order;                    ///< to which cells act

  /// Bytes of the values of a tree, a multiple of a record's.
  static std::size_t bytes(const EssentialSize& size, Order order) {
    std::size_t cell = sizeof(Vec4) + sizeof(float);
    for_each_moment(order, [&cell]<Order own>() { cell += sizeof(Moments<own>); });
    const std::size_t records = (size.cells * cell + sizeof(Vec4) - 1) / sizeof(Vec4);
    return (size.particles + records) * sizeof(Vec4);
  }
  /// The arrays in that many bytes from `memory` on.
  static EssentialValues in(std::byte* memory, const EssentialSize& size, Order order) {
    EssentialValues values{};
    values.order = order;
    const auto take = [&memory]<class T>(T*& values, std::size_t count) {
      values = reinterpret_cast<T*>(memory);
      memory += count * sizeof(T);
    };
    take(values.particles, size.particles);
    take(values.center, size.cells);
    for_each_moment(order, [&take, &values, &size]<Order own>() {
      take(values.moments.template of<own>(), size.cells);
    });
    take(values.size, size.cells);
    return values;
  }
};

}  // namespace gothic
