#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/combine.hpp"
#include "core/messages/exchange.hpp"
#include "core/ranks/opened_cells.hpp"
#include "core/ranks/outlines.hpp"
#include "core/ranks/pruned_trees.hpp"

namespace gothic {

/// How much outlines are widened at first.
inline constexpr OutlineMargin usual_margin{.radius = 0.1F, .acceleration = 0.05F};

/// Mass of n particles.
/// \param position [n] and masses
template <class Device>
double mass_of(const Device& device, const Vec4* position, std::uint32_t n) {
  return device.reduce(
      n, 0.0, [=] GOTHIC_DEVICE(std::size_t i) { return double(position[i].w); }, Sum{});
}

/// The messages by which ranks give each other essential trees. The topology lasts until the trees
/// are built anew, or until a walk lacks a part of one; values are exchanged at every step. All
/// ranks must make the same calls.
template <class Device>
class ExchangedTrees {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  ExchangedTrees(const Device& device, Communicator& ranks)
      : device_(device), ranks_(ranks), pruned_(device, std::size_t(ranks.size())) {}

  /// Prunes the own tree for every other rank by the outlines of that rank's particles.
  /// \param tree with its moments, and the reach of its cells once its particles have moved
  /// \param position, acceleration [n] of its particles
  /// \param velocity [n] of its particles, or null
  /// \param alone whether potentials are those of the particles alone
  /// \returns what the other ranks pruned for this one
  const PackedTopology<Device>& renew(const Tree<Device>& tree, const Vec4* position,
                                      const Vec4* velocity, const Vec4* acceleration,
                                      std::uint32_t n, bool alone, const Acceptance& acceptance) {
    if (!mass_) mass_ = combined(ranks_, mass_of(device_, position, n), std::plus<>());
    find_outlines(device_, position, velocity, acceleration, n,
                  least_acceleration(acceptance, float(*mass_), alone), margin_, joining_,
                  own_outlines_);
    const std::vector<std::uint32_t> counts = gather_outlines();
    const Outline* first = outlines_.data();
    for_each_rank([&](std::size_t rank, bool is_own) {
      if (!is_own) pruned_.prune(rank, tree, first, counts[rank], acceptance);
      first += counts[rank];
    });
    return exchange_topology(tree.lengths);
  }
  /// Prunes the own tree as it was pruned before.
  /// \returns what the other ranks pruned for this one
  const PackedTopology<Device>& restore(const Tree<Device>& tree, const OpenedCells& opened) {
    Buffer<std::uint32_t> cells(opened.cells.size());
    cells.upload(opened.cells);
    const std::uint32_t* first = cells.data();
    for_each_rank([&](std::size_t rank, bool is_own) {
      if (!is_own) pruned_.prune(rank, tree, first, opened.counts[rank]);
      first += opened.counts[rank];
    });
    return exchange_topology(tree.lengths);
  }
  /// What restore() needs.
  OpenedCells opened() const {
    OpenedCells result;
    for (const EssentialTree<Device>& tree : pruned_.trees()) {
      const std::vector<std::uint32_t> cells = tree.opened();
      result.cells.insert(result.cells.end(), cells.begin(), cells.end());
      result.counts.push_back(cells.size());
    }
    return result;
  }

  /// Sends the present values of the own cells and particles.
  /// \param order to which cells act
  /// \returns the values of the others
  Buffer<std::byte>& exchange_values(const WholeTree<Device>& own, Order order) {
    const auto bytes = [&](const EssentialSize& size) {
      return EssentialValues::bytes(size, order);
    };
    exchange(device_, ranks_, pruned_.pack_values(order, [&](std::size_t) { return own; }),
             for_each(sent_, bytes), values_, for_each(received_.sizes, bytes));
    return values_;
  }

  /// Tells for how long the next essential trees are to serve.
  void expect(double time) { margin_.time = float(time); }

  /// By how much they are larger than they need be at first.
  OutlineMargin& margin() { return margin_; }

 private:
  template <class Work>
  void for_each_rank(Work work) const {
    for (int rank = 0; rank < ranks_.size(); ++rank) work(std::size_t(rank), rank == ranks_.rank());
  }

  template <class Of>
  static std::vector<std::size_t> for_each(const std::vector<EssentialSize>& sizes, Of of) {
    std::vector<std::size_t> result;
    for (const EssentialSize& size : sizes) result.push_back(of(size));
    return result;
  }

  /// Collects the outlines of all ranks.
  /// \returns how many each rank has
  std::vector<std::uint32_t> gather_outlines() {
    device_.synchronize();
    const std::vector<Outline> all = joined(ranks_, own_outlines_.downloaded());
    outlines_.resize(all.size());
    outlines_.upload(all);
    return gathered(ranks_, std::uint32_t(own_outlines_.size()));
  }

  /// \param lengths of the softening, the same on all ranks
  const PackedTopology<Device>& exchange_topology(Lengths lengths) {
    PackedTopology<Device>& own = pruned_.pack_topology();
    sent_ = own.sizes;
    received_.sizes = told(ranks_, sent_);
    const auto swap = [&](auto& given, auto& taken, std::uint32_t EssentialSize::*number) {
      const auto count = [=](const EssentialSize& size) { return std::size_t(size.*number); };
      exchange(device_, ranks_, given, for_each(sent_, count), taken,
               for_each(received_.sizes, count));
    };
    swap(own.children, received_.children, &EssentialSize::cells);
    swap(own.ranges, received_.ranges, &EssentialSize::cells);
    if (lengths == Lengths::own) {
      swap(own.cell_shares, received_.cell_shares, &EssentialSize::cells);
      swap(own.particle_shares, received_.particle_shares, &EssentialSize::particles);
    }
    return received_;
  }

  const Device& device_;
  Communicator& ranks_;
  std::optional<double> mass_;  ///< of the particles of all ranks, which have it for good
  OutlineMargin margin_ = usual_margin;
  JoiningScratch<Device> joining_;
  Buffer<Outline> own_outlines_, outlines_;  ///< of the own particles, of the particles of all
  PrunedTrees<Device> pruned_;               ///< [ranks] for each other rank
  std::vector<EssentialSize> sent_;          ///< [ranks]
  PackedTopology<Device> received_;          ///< of the trees of each rank
  Buffer<std::byte> values_;                 ///< received last
};

}  // namespace gothic
