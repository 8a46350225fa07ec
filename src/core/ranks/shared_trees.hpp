#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/messages/exchange.hpp"
#include "core/ranks/essential_tree.hpp"
#include "core/ranks/outlines.hpp"

namespace gothic {

/// How much outlines are widened at first.
inline constexpr OutlineMargin usual_margin{.radius = 0.1F, .acceleration = 0.05F};

/// Mass of n particles.
/// \param position [n] and masses
template <class Device>
double mass_of(const Device& device, const Vec4* position, std::uint32_t n) {
  return device.reduce(
      n, 0.0, [=] GOTHIC_HD(std::size_t i) { return double(position[i].w); },
      [] GOTHIC_HD(double a, double b) { return a + b; });
}

/// The essential trees that the ranks give each other. Their topology lasts until the trees are
/// built anew, or until a walk lacks a part of one; their values are renewed at every step.
template <class Device>
class SharedTrees {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  SharedTrees(Device& device, Communicator& ranks)
      : device_(device),
        ranks_(ranks),
        own_(std::size_t(ranks.rank())),
        size_(std::size_t(ranks.size())),
        essential_(size_) {}

  /// Prunes the own tree for every other rank and attaches what they send to it.
  /// \param tree with its moments, and the reach of its cells once its particles have moved
  /// \param position, acceleration [n] of its particles
  /// \param velocity [n] of them, or null
  /// \param alone whether potentials are those of the particles alone
  void renew(Tree<Device>& tree, const Vec4* position, const Vec4* velocity,
             const Vec4* acceleration, std::uint32_t n, bool alone, const Acceptance& acceptance) {
    particles_ = n;
    if (!mass_) mass_ = combined(ranks_, mass_of(device_, position, n), std::plus<>());
    const float least = least_acceleration(acceptance, float(*mass_), alone);
    const std::vector<std::uint32_t> counts =
        gather_outlines(position, velocity, acceleration, least);
    const Outline* const outlines = outlines_.came.data();
    prune(tree, [&](std::size_t rank) {
      if (tree.cells() == 0) return;
      const auto before =
          std::accumulate(counts.begin(), counts.begin() + std::ptrdiff_t(rank), 0U);
      mark_opened(device_, tree, outlines + before, counts[rank], acceptance, opened_.data());
    });
  }
  /// Prunes the own tree as it was before and attaches what others send to it.
  void restore(Tree<Device>& tree, std::uint32_t n, const OpenedCells& opened) {
    particles_ = n;
    Buffer<std::uint32_t> cells(opened.cells.size());
    cells.upload(opened.cells);
    const std::uint32_t* first = cells.data();
    prune(tree, [&](std::size_t rank) {
      raise_flags(device_, first, opened.counts[rank], opened_.data());
      first += opened.counts[rank];
    });
  }
  /// What restore() needs.
  OpenedCells opened() const {
    OpenedCells result;
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const std::vector<std::uint32_t> cells = essential_[rank].opened();
      result.cells.insert(result.cells.end(), cells.begin(), cells.end());
      result.counts.push_back(cells.size());
    }
    return result;
  }

  /// Sends the present values of the own cells and particles and takes those of others.
  /// \param position [n] of the own particles; behind them, there is room for others
  /// \param order to which cells act
  void refresh(Tree<Device>& tree, Buffer<Vec4>& position, Order order) {
    const auto bytes = [&](const std::vector<Sizes>& sizes) {
      std::vector<std::size_t> result;
      for (const Sizes& size : sizes) {
        result.push_back(EssentialValues::bytes(size.particles, size.cells, order));
      }
      return result;
    };
    const std::vector<std::size_t> sent = bytes(sent_), received = bytes(received_);
    values_.went.resize(offset_of(sent, int(size_)));
    std::byte* place = values_.went.data();
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const Sizes size = sent_[rank];
      if (size.cells > 0) {
        pack_values(device_, tree, position.data(), essential_[rank],
                    EssentialValues::in(place, size.particles, size.cells, order));
      }
      place += sent[rank];
    }
    exchange(device_, ranks_, values_.went, sent, values_.came, received);
    position.resize(nowhere() + 1);
    tree.resize_moments(order);
    place = values_.came.data();
    std::size_t k = 0;
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const Sizes size = received_[rank];
      if (size.cells > 0) {
        attach_values(device_, tree, attached_[k++],
                      EssentialValues::in(place, size.particles, size.cells, order),
                      position.data());
      }
      place += received[rank];
    }
    fill(device_, position.data() + nowhere(), 1, unknown_source());
  }

  /// Tells for how long the next essential trees are to serve.
  void expect(double time) { margin_.time = float(time); }

  /// By how much they are larger than they need be at first.
  OutlineMargin& margin() { return margin_; }

  /// Cells and particles that the own rank got from others.
  std::uint64_t cells() const { return total(received_, &Sizes::cells); }
  std::uint64_t particles() const { return total(received_, &Sizes::particles); }

 private:
  /// Of an essential tree.
  struct Sizes {
    std::uint32_t cells = 0, particles = 0;
  };

  /// Values of this rank that go to others, and theirs.
  template <class T>
  struct Passed {
    Buffer<T> went, came;
  };

  static std::uint64_t total(const std::vector<Sizes>& sizes, std::uint32_t Sizes::*member) {
    std::uint64_t sum = 0;
    for (const Sizes& size : sizes) sum += size.*member;
    return sum;
  }

  /// Place behind all positions, see attach_topology.
  std::uint32_t nowhere() const {
    return std::uint32_t(particles_ + total(received_, &Sizes::particles));
  }

  /// Finds the outlines of the particles of all ranks.
  /// \returns how many each rank has
  std::vector<std::uint32_t> gather_outlines(const Vec4* position, const Vec4* velocity,
                                             const Vec4* acceleration, float least) {
    find_outlines(device_, position, velocity, acceleration, particles_, least, margin_, joining_,
                  outlines_.went);
    device_.synchronize();
    const std::vector<Outline> all = joined(ranks_, outlines_.went.downloaded());
    outlines_.came.resize(all.size());
    outlines_.came.upload(all);
    return gathered(ranks_, std::uint32_t(outlines_.went.size()));
  }

  /// Prunes the own tree for every other rank and attaches what they send to it.
  /// \param mark raises the flags of the cells that a rank may open
  template <class Mark>
  void prune(Tree<Device>& tree, Mark mark) {
    for (std::size_t rank = 0; rank < size_; ++rank) {
      if (rank == own_) continue;
      opened_.resize(tree.cells());
      fill(device_, opened_.data(), opened_.size(), std::uint8_t(0));
      mark(rank);
      make_essential(device_, tree, opened_.data(), scratch_, essential_[rank]);
    }
    attach_all(tree);
  }

  void attach_all(Tree<Device>& tree) {
    sent_.assign(size_, {});
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const EssentialTree<Device>& own = essential_[rank];
      if (rank != own_) {
        sent_[rank] = {std::uint32_t(own.cells.size()), std::uint32_t(own.particles.size())};
      }
    }
    received_ = told(ranks_, sent_);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
    for (const Sizes& size : received_) {
      if (size.cells > 0) counts.emplace_back(size.cells, size.particles);
    }
    attached_ = attach(tree, particles_, counts);
    pass_topology(&EssentialTree<Device>::children, children_);
    pass_topology(&EssentialTree<Device>::ranges, ranges_);
    std::size_t offset = 0;
    for (const Attached& where : attached_) {
      attach_topology(device_, tree, where, children_.came.data() + offset,
                      ranges_.came.data() + offset, nowhere());
      offset += where.cells.count;
    }
    device_.synchronize();
  }

  /// Sends an array of the cells of all essential trees.
  /// \param passed result: those of the trees that come, in the order of the ranks
  template <class T>
  void pass_topology(Buffer<T> EssentialTree<Device>::*member, Passed<T>& passed) {
    std::vector<std::size_t> sent, received;
    for (const Sizes& size : sent_) sent.push_back(size.cells);
    for (const Sizes& size : received_) received.push_back(size.cells);
    passed.went.resize(offset_of(sent, int(size_)));
    T* place = passed.went.data();
    for (std::size_t rank = 0; rank < size_; ++rank) {
      copy(device_, (essential_[rank].*member).data(), sent[rank], place);
      place += sent[rank];
    }
    exchange(device_, ranks_, passed.went, sent, passed.came, received);
  }

  Device& device_;
  Communicator& ranks_;
  std::size_t own_, size_;
  std::optional<double> mass_;                    ///< of all particles, which have it for good
  std::uint32_t particles_ = 0;                   ///< of the own rank
  std::vector<EssentialTree<Device>> essential_;  ///< [ranks] for each other rank
  OutlineMargin margin_ = usual_margin;
  std::vector<Sizes> sent_, received_;  ///< [ranks]
  std::vector<Attached> attached_;      ///< places of those received, of ranks with particles
  PruningScratch<Device> scratch_;
  Buffer<std::uint8_t> opened_;  ///< scratch
  Passed<std::uint32_t> children_;
  Passed<Range> ranges_;
  Passed<std::byte> values_;
  JoiningScratch<Device> joining_;
  Passed<Outline> outlines_;
};

}  // namespace gothic
