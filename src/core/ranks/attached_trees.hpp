#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/ranks/packed_trees.hpp"
#include "core/ranks/unknown_source.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

namespace detail {

/// Where an essential tree lies behind the own tree and the own particles.
struct AttachedPlace {
  Range cells, particles;
};

/// Writes the topology of an essential tree to its place.
/// \param children, ranges [cells] see EssentialTree
/// \param nowhere place of the unknown source among the positions
template <class Device>
void attach_topology(const Device& device, Tree<Device>& tree, const AttachedPlace& where,
                     const std::uint32_t* children, const Range* ranges, std::uint32_t nowhere) {
  std::uint32_t* const families = tree.children.data() + where.cells.first;
  Range* const particles = tree.particles.data() + where.cells.first;
  device.for_each(where.cells.count, [=] GOTHIC_DEVICE(std::size_t i) {
    const Range family = Family::range(children[i]), own = ranges[i];
    families[i] =
        family.count > 0 ? Family::pack({family.first + where.cells.first, family.count}) : 0;
    particles[i] =
        own.count > 0 ? Range{own.first + where.particles.first, own.count} : Range{nowhere, 1};
  });
}

/// Copies the shares of essential trees in the softening behind those of the own tree.
/// \param packed of all trees, one after the other
template <class Device>
void attach_shares(const Device& device, typename Device::template Buffer<float>& shares,
                   std::size_t own, const typename Device::template Buffer<float>& packed) {
  shares.resize(own + packed.size() + 1);
  copy(device, packed.data(), packed.size(), shares.data() + own);
  fill(device, shares.data() + own + packed.size(), 1, 0.0F);  // of the unknown source
}

/// Writes the present values of an essential tree to their places.
/// \param position [own particles and particles of others] result
template <class Device>
void attach_values(const Device& device, Tree<Device>& tree, const AttachedPlace& where,
                   EssentialValues values, Vec4* position) {
  const Range own = where.particles, cells = where.cells;
  device.for_each(own.count, [=] GOTHIC_DEVICE(std::size_t i) {
    position[own.first + i] = values.particles[i];
  });
  Vec4* const center = tree.center.data();
  const MomentArrays<Pointer> moments = tree.moment_pointers();
  float* const size = tree.size.data();
  device.for_each(cells.count, [=] GOTHIC_DEVICE(std::size_t i) {
    const std::size_t cell = cells.first + i;
    center[cell] = values.center[i];
    copy_moments(values.order, values.moments, i, moments, cell);
    size[cell] = values.size[i];
  });
}

}  // namespace detail

/// Essential trees on the taker's side, behind the own tree and the own particles. Their roots are
/// further roots of the walk.
template <class Device>
class AttachedTrees {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  /// Attaches trees to a tree that has none.
  /// \param own number of particles of the tree
  void attach(const Device& device, Tree<Device>& tree, std::uint32_t own,
              const PackedTopology<Device>& received) {
    places_.clear();
    own_ = {tree.cells(), own};
    all_ = own_;
    std::vector<std::uint32_t> roots;
    if (own_.cells > 0) roots.push_back(0);
    for (const EssentialSize& size : received.sizes) {
      if (size.cells == 0) continue;
      roots.push_back(all_.cells);
      places_.push_back({{all_.cells, size.cells}, {all_.particles, size.particles}});
      all_.cells += size.cells;
      all_.particles += size.particles;
    }
    if (all_.cells > Family::most_cells) throw std::bad_alloc();
    tree.resize(all_.cells);
    tree.roots.resize(roots.size());
    tree.roots.upload(roots);
    for (const detail::AttachedPlace& where : places_) {
      const std::uint32_t before = where.cells.first - own_.cells;
      detail::attach_topology(device, tree, where, received.children.data() + before,
                              received.ranges.data() + before, all_.particles);
    }
    if (tree.lengths == Lengths::own) {
      detail::attach_shares(device, tree.cell_share, own_.cells, received.cell_shares);
      detail::attach_shares(device, tree.particle_share, own_.particles, received.particle_shares);
    }
    device.synchronize();
  }

  /// Takes the present values of the trees.
  /// \param order to which cells act
  /// \param position [n] of the own particles; the positions of others are put behind them
  void unpack(const Device& device, Tree<Device>& tree, Buffer<std::byte>& values, Order order,
              Buffer<Vec4>& position) const {
    position.resize(all_.particles + std::size_t(1));
    tree.resize_moments(order);
    std::byte* place = values.data();
    for (const detail::AttachedPlace& where : places_) {
      const EssentialSize size{where.cells.count, where.particles.count};
      detail::attach_values(device, tree, where, EssentialValues::in(place, size, order),
                            position.data());
      place += EssentialValues::bytes(size, order);
    }
    fill(device, position.data() + all_.particles, 1, unknown_source());
  }

  /// Cells and particles of the trees.
  EssentialSize size() const { return {all_.cells - own_.cells, all_.particles - own_.particles}; }

 private:
  EssentialSize own_, all_;  ///< of the own tree, and with those behind it
  std::vector<detail::AttachedPlace> places_;
};

}  // namespace gothic
