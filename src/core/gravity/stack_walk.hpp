#pragma once

#include <cstdint>

#include "core/device/fixed_list.hpp"
#include "core/gravity/pair.hpp"
#include "core/gravity/target_group.hpp"
#include "core/gravity/walk.hpp"
#include "core/tree/keys.hpp"

namespace gothic {

/// Memory that a warp needs for the walks of single groups, with cells that act to some order. Its
/// list of sources lies behind it.
template <class Warp, Order order>
struct alignas(Vec4) StackScratch {
  static constexpr int registers = order == Order::octupole ? 96 : 72;  ///< of a GPU thread
  /// One batch of a warp's width for each level of the tree: deeper families are taken first, so
  /// all families of one level on the stack come from one batch.
  static constexpr std::uint32_t stack_capacity = Warp::width * (tree::key_levels + 1);
  static constexpr std::uint32_t cell_capacity = 2 * Warp::width;  ///< of lists of cells
  static constexpr std::uint32_t register_size = Warp::width;      ///< may be written behind a list

  static constexpr std::size_t bytes_behind(std::uint32_t list_capacity) {
    return (list_capacity + register_size) * sizeof(Vec4);
  }

  // Of the group that walks, kept here since registers are scarce.
  Vec4 ball, first;  ///< see TargetGroup
  Range targets;
  std::uint32_t group;         ///< its number
  std::uint32_t roots_judged;  ///< or more, in steps of a warp's width
  std::uint32_t stack[stack_capacity + register_size];
  std::uint32_t quadrupoles[cell_capacity + register_size];
  std::uint32_t octupoles[order == Order::octupole ? cell_capacity + register_size : 1];
  std::uint32_t leaves[cell_capacity + register_size];
  Vec4 records[source_records<order> * Warp::width];  ///< of some cells
};

/// Walk of one warp for a group of particles (Miki & Umemura 2017, section 2.3), for devices whose
/// fast memory is small.
///
/// Opened cells leave their families on a stack. The lanes take the last members of it, as many as
/// there are lanes, and judge them side by side. Cells that may act as points go to a list of
/// points at once, and so do the particles of opened leaves, a warp's width of leaves at a time.
/// When the list is full, lanes become particles and sum it. Cells that act with higher moments are
/// summed a warp's width at a time. Deeper families are taken first, which keeps the stack
/// short: it has room for any tree.
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
template <class Warp, int K, Root root, Order order>
class StackWalk {
 public:
  using Float = typename Warp::Float;
  using Mask = typename Warp::Mask;
  using Index = typename Warp::Index;
  using Scratch = StackScratch<Warp, order>;

  /// \param sharing lanes that share a particle
  /// \param neighbours, ball see TargetGroup::load
  GOTHIC_HD StackWalk(const WalkData& data, Scratch& scratch, Range targets, int sharing,
                      const Neighbourhood& neighbours, const Vec4* ball)
      : data_(data),
        ball_(scratch.ball),
        first_(scratch.first),
        roots_judged_(scratch.roots_judged),
        stack_(scratch.stack),
        quadrupoles_(scratch.quadrupoles),
        octupoles_(scratch.octupoles),
        leaves_(scratch.leaves),
        records_(scratch.records),
        points_(behind<Vec4>(scratch)) {
    group_.load(data.position, data.old_acceleration, data.targets, targets, data.acceptance,
                least_acceleration(data), sharing, neighbours, ball);
    roots_judged_ = 0;
    Warp::copy(&scratch.ball, &group_.ball, 1);
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
        points_summed_ = quadrupoles_summed_ = octupoles_summed_ = 0;
        return false;
      }
      const bool last = stack_.size() == 0 && roots_judged_ >= data_.root_count;
      const std::uint32_t fewest = last ? 1 : Warp::width;
      if constexpr (order != Order::point) {
        while (quadrupoles_.size() >= fewest) {
          quadrupoles_summed_ += sum_some<Order::quadrupole>(quadrupoles_);
        }
      }
      if constexpr (order == Order::octupole) {
        while (octupoles_.size() >= fewest) octupoles_summed_ += sum_some<order>(octupoles_);
      }
      if (last || leaves_.size() > Scratch::cell_capacity - Warp::width) empty_leaves();
      if (last || !has_room()) sum_points();
      if (last) break;
    }
    group_.template store<root>(data_.position, data_.acceleration, data_.acceptance.gravity,
                                data_.softening);
    return true;
  }

  /// Adds what the walk did to counts that warps may share.
  GOTHIC_HD void add_counts(WalkCount& counts) const {
    const std::uint64_t quadrupoles = std::uint64_t(quadrupoles_summed_) * group_.count;
    const std::uint64_t octupoles = std::uint64_t(octupoles_summed_) * group_.count;
    const std::uint64_t points = std::uint64_t(points_summed_) * group_.count;
    Warp::add(&counts.interactions, octupoles + quadrupoles + points);
    Warp::add(&counts.quadrupole_interactions, quadrupoles);
    if (order == Order::octupole) Warp::add(&counts.octupole_interactions, octupoles);
    Warp::add(&counts.cells_judged, std::uint64_t(cells_judged_));
  }

 private:
  /// Takes cells off the stack or, where it is empty, the next roots. Returns how many.
  GOTHIC_HD int next_cells(Index& cell) {
    if (stack_.size() > 0) return Warp::template take<Family>(stack_, cell);
    const std::uint32_t first = Warp::add(&roots_judged_, std::uint32_t(Warp::width));
    const std::uint32_t rest = data_.root_count - first;
    const int n = rest < Warp::width ? int(rest) : Warp::width;
    cell = Warp::load(data_.roots + first, n);
    return n;
  }

  /// Appends each of n cells to one of the lists, which have room for them.
  GOTHIC_HD void judge(const Index& cell, int n) {
    const auto center = Warp::gather(data_.center, cell);
    const Index family = Warp::gather(data_.children, cell);
    const auto radii = Warp::gather(data_.reach, cell);
    const Vec4 ball = ball_;
    const Float d2 = squared_distance<Warp>(center, ball);
    const auto acts = acting<Warp, order>(d2, radii, ball, group_.scale, group_.point_scale);
    const Mask valid = Warp::first(n), inner = Warp::nonzero(family);
    const Mask opened = valid && !acts.any;
    if constexpr (order == Order::octupole) {
      Warp::append(octupoles_, valid && acts.octupole, cell);
    }
    if constexpr (order != Order::point) {
      Warp::append(quadrupoles_, valid && acts.quadrupole, cell);
    }
    Warp::append(points_, valid && acts.point, center);
    Warp::append(stack_, opened && inner, family);
    Warp::append(leaves_, opened && !inner, cell);
    excess_ += excess_of<Warp>(data_, first_, center, radii, opened);
    cells_judged_ += std::uint32_t(n);
  }

  /// Whether the list of points has room for a warp's width of further ones.
  GOTHIC_HD bool has_room() const { return points_.size() + Warp::width <= data_.list_capacity; }

  /// Makes points of the leaves' particles.
  GOTHIC_HD void empty_leaves() {
    Warp::for_each_member(
        data_.particles, leaves_.data(), leaves_.size(), [&](const Index& particle, int n) {
          if (!has_room()) sum_points();
          Warp::append(points_, Warp::first(n), Warp::gather(data_.position, particle));
        });
    leaves_.clear();
  }

  /// Sums the last cells of a list, at most a warp's width of them. Returns how many.
  template <Order own>
  GOTHIC_HD std::uint32_t sum_some(FixedList<std::uint32_t>& cells) {
    const std::uint32_t size = cells.size(), n = size < Warp::width ? size : Warp::width;
    cells.resize(size - n);
    list_cells<Warp, own>(data_, cells.data() + cells.size(), n, records_, Warp::width);
    group_.template add<root, own>(records_, Warp::width, n, data_.softening);
    return n;
  }

  GOTHIC_HD void sum_points() {
    const std::uint32_t n = points_.size();
    group_.template add<root>(points_.data(), 0, n, data_.softening);
    points_summed_ += n;
    points_.clear();
  }

  const WalkData& data_;
  const Vec4 &ball_, &first_;  ///< of the group
  std::uint32_t& roots_judged_;
  FixedList<std::uint32_t> stack_, quadrupoles_, octupoles_, leaves_;
  Vec4* records_;
  FixedList<Vec4> points_;
  TargetGroup<Warp, K> group_;
  float excess_ = 0;  ///< see excess_of
  std::uint32_t points_summed_ = 0, quadrupoles_summed_ = 0, octupoles_summed_ = 0;
  std::uint32_t cells_judged_ = 0;
};

}  // namespace gothic
