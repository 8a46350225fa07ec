#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/ranks/essential_tree.hpp"
#include "core/ranks/packed_trees.hpp"

namespace gothic {

/// A tree that is pruned, and its particles.
template <class Device>
struct WholeTree {
  const Tree<Device>& tree;
  const Vec4* position;  ///< [n]
};

/// Essential trees on the givers' side: each is pruned by itself, and all are packed together, as
/// they travel.
template <class Device>
class PrunedTrees {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  /// \param count number of trees, which are empty at first
  PrunedTrees(const Device& device, std::size_t count) : device_(device), trees_(count) {}

  /// Prunes a tree for the `k`-th essential tree.
  /// \param takers those who are to have it; see prune
  template <class... Takers>
  void prune(std::size_t k, const Tree<Device>& tree, const Takers&... takers) {
    gothic::prune(device_, tree, takers..., scratch_, trees_[k]);
  }
  /// Empties the `k`-th essential tree.
  void clear(std::size_t k) { trees_[k] = {}; }

  const std::vector<EssentialTree<Device>>& trees() const { return trees_; }

  /// Packs the topology of all trees.
  /// \returns what lasts until the next call
  PackedTopology<Device>& pack_topology() {
    topology_.sizes.clear();
    for (const EssentialTree<Device>& tree : trees_) topology_.sizes.push_back(tree.size());
    pack(&EssentialTree<Device>::children, topology_.children);
    pack(&EssentialTree<Device>::ranges, topology_.ranges);
    pack(&EssentialTree<Device>::cell_shares, topology_.cell_shares);
    pack(&EssentialTree<Device>::particle_shares, topology_.particle_shares);
    return topology_;
  }

  /// Packs the present values of all trees.
  /// \param order to which cells act
  /// \param whole the WholeTree of the `k`-th essential tree
  /// \returns what lasts until the next call
  template <class Whole>
  Buffer<std::byte>& pack_values(Order order, Whole whole) {
    std::size_t bytes = 0;
    for (const EssentialTree<Device>& tree : trees_) {
      bytes += EssentialValues::bytes(tree.size(), order);
    }
    values_.resize(bytes);
    std::byte* place = values_.data();
    for (std::size_t k = 0; k < trees_.size(); ++k) {
      const EssentialSize size = trees_[k].size();
      if (size.cells == 0) continue;
      const WholeTree<Device> own = whole(k);
      gothic::pack_values(device_, own.tree, own.position, trees_[k],
                          EssentialValues::in(place, size, order));
      place += EssentialValues::bytes(size, order);
    }
    return values_;
  }

 private:
  /// Copies an array of all trees, one after the other.
  template <class T>
  void pack(Buffer<T> EssentialTree<Device>::*array, Buffer<T>& packed) {
    std::size_t size = 0;
    for (const EssentialTree<Device>& tree : trees_) size += (tree.*array).size();
    packed.resize(size);
    std::size_t place = 0;
    for (const EssentialTree<Device>& tree : trees_) {
      const Buffer<T>& own = tree.*array;
      copy(device_, own.data(), own.size(), packed.data() + place);
      place += own.size();
    }
  }

  const Device& device_;
  std::vector<EssentialTree<Device>> trees_;
  PackedTopology<Device> topology_;
  Buffer<std::byte> values_;
  PruningScratch<Device> scratch_;
};

}  // namespace gothic
