#pragma once

#include <cstdint>

#include "core/device/fixed_list.hpp"
#include "core/gravity/pair.hpp"
#include "core/gravity/target_group.hpp"
#include "core/gravity/walk.hpp"
#include "core/tree/keys.hpp"

namespace gothic {

/// How a walk goes through a tree: opened cells leave their families on a stack. Deeper families
/// are taken first, which keeps the stack short: it has room for any tree.
struct DepthFirst {
  template <class Warp>
  struct Memory {
    /// One batch of a warp's width for each level of the tree: all families of one level on the
    /// stack come from one batch.
    static constexpr std::uint32_t capacity = Warp::width * (tree::key_levels + 1);

    std::uint32_t families[capacity + Warp::width];
  };

  /// The families of opened cells.
  template <class Warp>
  class Families {
   public:
    GOTHIC_HD Families(const DepthFirst&, Memory<Warp>& memory, std::uint32_t)
        : stack_(memory.families) {}

    GOTHIC_HD bool is_empty() const { return stack_.size() == 0; }
    GOTHIC_HD void append(const typename Warp::Mask& mask, const typename Warp::Index& family) {
      Warp::append(stack_, mask, family);
    }
    /// Takes members of the families that come next, one per lane; returns how many.
    GOTHIC_HD int take(typename Warp::Index& cell) {
      return Warp::template take<Family>(stack_, cell);
    }

   private:
    FixedList<std::uint32_t> stack_;
  };
};

/// Memory that a warp needs for the walks of single groups, with cells that act to some order. Its
/// list of points lies behind it.
/// \tparam Way how it goes through the tree
template <class Warp, Order order, Lengths lengths, class Way = DepthFirst>
struct alignas(Vec4) GroupScratch {
  /// Of a GPU thread.
  static constexpr int registers = order == Order::octupole                                ? 96
                                   : order == Order::quadrupole && lengths == Lengths::own ? 80
                                                                                           : 72;
  static constexpr std::uint32_t cell_capacity = 2 * Warp::width;  ///< of lists of cells
  static constexpr std::uint32_t register_size = Warp::width;      ///< may be written behind a list

  /// Points that the list has room for, which is a multiple of four.
  GOTHIC_HD static constexpr std::uint32_t list_size(std::uint32_t list_capacity) {
    return (list_capacity + register_size + 3) / 4 * 4;
  }
  static constexpr std::size_t bytes_behind(std::uint32_t list_capacity) {
    const std::size_t point = sizeof(Vec4) + (lengths == Lengths::own ? sizeof(float) : 0);
    return list_size(list_capacity) * point;
  }

  // The group that walks, kept here since registers are scarce.
  Vec4 ball, first;  ///< see TargetGroup
  Range targets;
  std::uint32_t group;                           ///< its number
  std::uint32_t warp;                            ///< the number of the warp
  std::uint32_t roots_judged;                    ///< or more, in steps of a warp's width
  typename Way::template Memory<Warp> families;  ///< of opened cells
  std::uint32_t cells[int(stored_order(order))][cell_capacity + register_size];
  std::uint32_t leaves[cell_capacity + register_size];
  Vec4 records[Multipole<order>::records * Warp::width];  ///< of some cells
};

/// Walk of one warp for a group of particles (Miki & Umemura 2017, section 2.3), for devices whose
/// fast memory is small.
///
/// The lanes take members of opened families, as many as there are lanes, and judge them side by
/// side. Cells that may act as points go to a list of points at once, and so do the particles of
/// opened leaves, a warp's width of leaves at a time. When the list is full, lanes become particles
/// and sum it. Cells that act with higher moments are summed a warp's width at a time.
///
/// A group of distant particles opens many cells that no particle alone would open. This happens
/// where the curve jumps between active particles, and in the outskirts, where the ball of a group
/// may contain the centre of a galaxy. Such a walk is given up, and the parts of the group walk
/// again.
///
/// A wider ball makes forces more exact. Where few particles are active, groups are small; their
/// neighbours, active or not, then count for the ball, so that forces do not become less exact.
///
/// \tparam K particles per lane
/// \tparam sharing lanes that share a particle
/// \tparam Way how it goes through the tree
template <class Warp, int K, int sharing, Root root, Order order, Lengths lengths,
          class Way = DepthFirst>
class GroupWalk {
 public:
  using Float = typename Warp::Float;
  using Mask = typename Warp::Mask;
  using Index = typename Warp::Index;
  using Scratch = GroupScratch<Warp, order, lengths, Way>;

  /// \param neighbours, ball see TargetGroup::load
  GOTHIC_HD GroupWalk(const WalkData& data, Scratch& scratch, Range targets,
                      const Neighbourhood& neighbours, const Vec4* ball, const Way& way = {})
      : data_(data),
        ball_(scratch.ball),
        first_(scratch.first),
        roots_judged_(scratch.roots_judged),
        families_(way, scratch.families, scratch.warp),
        leaves_(scratch.leaves),
        records_(scratch.records),
        points_(behind<Vec4>(scratch)) {
    group_.load(data.position, data.tree.particle_share, data.softening, data.old_acceleration,
                data.targets, targets, data.acceptance, least_acceleration(data), sharing,
                neighbours, ball);
    roots_judged_ = 0;
    for_each_order<Order::quadrupole, order>(
        [&]<Order own>() { cells_[own] = FixedList(scratch.cells[int(own) - 1]); });
    Warp::copy(&scratch.ball, &group_.bounds.ball, 1);
    Warp::copy(&scratch.first, &group_.first, 1);
  }

  /// Returns false, and leaves the accelerations alone, if the group should be split and
  /// `may_be_split`.
  GOTHIC_HD bool run(bool may_be_split) {
    for (;;) {
      Index cell;
      const int n = next_cells(cell);
      judge(cell, n);
      if (may_be_split && is_wide(data_, excess_, Warp::width)) {
        summed_ = {};
        return false;
      }
      const bool last = families_.is_empty() && roots_judged_ >= data_.tree.root_count;
      const std::uint32_t fewest = last ? 1 : Warp::width;
      for_each_order<Order::quadrupole, order>([&]<Order own>() {
        while (cells_[own].size() >= fewest) sum_some<own>(cells_[own]);
      });
      if (last || leaves_.size() > Scratch::cell_capacity - Warp::width) empty_leaves();
      if (last || !has_room()) sum_points();
      if (last) break;
    }
    group_.template store<root>(data_.position, data_.acceleration, data_.acceptance.gravity);
    return true;
  }

  /// Adds what the walk counted to counts that warps may share.
  GOTHIC_HD void add_counts(WalkCount& counts) const {
    for_each_order<Order::point, order>([&]<Order own>() {
      Warp::add(&counts.pairs[own], std::uint64_t(summed_[own]) * group_.count);
    });
    Warp::add(&counts.cells_judged, std::uint64_t(cells_judged_));
  }

 private:
  /// Takes members of opened families or, where there are none, the next roots. Returns how many.
  GOTHIC_HD int next_cells(Index& cell) {
    if (!families_.is_empty()) return families_.take(cell);
    const std::uint32_t first = Warp::add(&roots_judged_, std::uint32_t(Warp::width));
    const std::uint32_t rest = data_.tree.root_count - first;
    const int n = rest < Warp::width ? int(rest) : Warp::width;
    cell = Warp::load(data_.tree.roots + first, n);
    return n;
  }

  /// Appends each of n cells to one of the lists, which have room for them.
  GOTHIC_HD void judge(const Index& cell, int n) {
    const auto center = Warp::gather(data_.tree.center, cell);
    const Index family = Warp::gather(data_.tree.children, cell);
    const auto reach = Warp::gather(data_.tree.reach, cell);
    const auto share = shares_of(data_.tree.cell_share, cell);
    const GroupBounds bounds{ball_, group_.bounds.scales};
    const Float d2 = squared_distance<Warp>(center, bounds.ball);
    const Judgement<Warp> judged = gothic::judge<order, Warp>(bounds, d2, reach);
    const Mask valid = Warp::first(n), inner = Warp::nonzero(family);
    const Mask opened = valid && judged.opened;
    for_each_order<Order::quadrupole, order>(
        [&]<Order own>() { Warp::append(cells_[own], valid && judged.acts[own], cell); });
    list_points(valid && judged.acts[Order::point], center, share);
    families_.append(opened && inner, family);
    Warp::append(leaves_, opened && !inner, cell);
    excess_ += excess_of<Warp>(data_, first_, center, reach, opened);
    cells_judged_ += std::uint32_t(n);
  }

  /// Whether the list of points has room for a warp's width of further ones.
  GOTHIC_HD bool has_room() const { return points_.size() + Warp::width <= data_.list_capacity; }

  /// The shares of cells or particles in the softening, if lengths are not equal.
  GOTHIC_HD static auto shares_of(const float* shares, const Index& index) {
    if constexpr (lengths == Lengths::own) {
      return Warp::gather(shares, index);
    } else {
      return 0.0F;
    }
  }

  /// Appends points to the list, which has room for them.
  /// \param share see shares_of
  GOTHIC_HD void list_points(const Mask& mask, const typename Warp::Float4& points,
                             const auto& share) {
    if constexpr (lengths == Lengths::own) {
      FixedList<float> list(shares());
      list.resize(points_.size());
      Warp::append(list, mask, share);
    }
    Warp::append(points_, mask, points);
  }
  /// The shares of the points in the softening lie behind their list.
  GOTHIC_HD float* shares() const {
    return reinterpret_cast<float*>(points_.data() + Scratch::list_size(data_.list_capacity));
  }

  /// Makes points of the leaves' particles.
  GOTHIC_HD void empty_leaves() {
    Warp::for_each_member(data_.tree.particles, leaves_.data(), leaves_.size(),
                          [&](const Index& particle, int n) {
                            if (!has_room()) sum_points();
                            list_points(Warp::first(n), Warp::gather(data_.position, particle),
                                        shares_of(data_.tree.particle_share, particle));
                          });
    leaves_.clear();
  }

  /// Sums the last cells of a list, at most a warp's width of them.
  template <Order own>
  GOTHIC_HD void sum_some(FixedList<std::uint32_t>& cells) {
    const std::uint32_t size = cells.size(), n = size < Warp::width ? size : Warp::width;
    cells.resize(size - n);
    const SourceList sources{records_, Warp::width, nullptr};
    list_cells<Warp, own, lengths>(data_, cells.data() + cells.size(), n, sources);
    group_.template add<root, own, sharing>(sources, n);
    summed_[own] += n;
  }

  GOTHIC_HD void sum_points() {
    const std::uint32_t n = points_.size();
    group_.template add<root, Order::point, sharing>({points_.data(), 0, shares()}, n);
    summed_[Order::point] += n;
    points_.clear();
  }

  const WalkData& data_;
  const Vec4 &ball_, &first_;  ///< of the group
  std::uint32_t& roots_judged_;
  typename Way::template Families<Warp> families_;  ///< of opened cells
  FixedList<std::uint32_t> leaves_;
  PerOrder<FixedList<std::uint32_t>> cells_;  ///< that act with higher moments
  Vec4* records_;
  FixedList<Vec4> points_;
  TargetGroup<Warp, K, lengths> group_;
  float excess_ = 0;                ///< see excess_of
  PerOrder<std::uint32_t> summed_;  ///< sources
  std::uint32_t cells_judged_ = 0;
};

}  // namespace gothic
