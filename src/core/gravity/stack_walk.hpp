#pragma once

#include <cstdint>

#include "core/device/fixed_list.hpp"
#include "core/gravity/pair.hpp"
#include "core/gravity/target_group.hpp"
#include "core/gravity/walk.hpp"
#include "core/tree/keys.hpp"

namespace gothic {

/// Memory that a warp needs for the walks of single groups. Its list of sources lies behind it.
template <class Warp>
struct alignas(Vec4) StackScratch {
  /// One batch of a warp's width for each level of the tree: deeper families are taken first, so
  /// all families of one level on the stack come from one batch.
  static constexpr std::uint32_t stack_capacity = Warp::width * (tree::key_levels + 1);
  static constexpr std::uint32_t leaf_capacity = 2 * Warp::width;
  static constexpr std::uint32_t register_size = Warp::width;  ///< may be written behind a list

  static constexpr std::size_t bytes_behind(std::uint32_t list_capacity) {
    return (list_capacity + register_size) * sizeof(Vec4);
  }

  std::uint32_t stack[stack_capacity + register_size];
  std::uint32_t leaves[leaf_capacity + register_size];
};

/// Walk of one warp for a group of particles (Miki & Umemura 2017, section 2.3), for devices whose
/// fast memory is small.
///
/// Opened cells leave their families on a stack. The lanes take the last members of it, as many as
/// there are lanes, and judge them side by side. Cells that may act as a whole go to the list of
/// sources at once, and so do the particles of opened leaves, a warp's width of leaves at a time.
/// When the list is full, lanes become particles and sum it. Deeper families are taken first, which
/// keeps the stack short: it has room for any tree.
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
template <class Warp, int K, Root root>
class StackWalk {
 public:
  using Float = typename Warp::Float;
  using Mask = typename Warp::Mask;
  using Index = typename Warp::Index;
  using Scratch = StackScratch<Warp>;

  /// \param sharing lanes that share a particle
  /// \param neighbours, ball see TargetGroup::load
  GOTHIC_HD StackWalk(const WalkData& data, Scratch& scratch, Range targets, int sharing,
                      const Neighbourhood& neighbours, const Vec4* ball)
      : data_(data),
        stack_(scratch.stack),
        leaves_(scratch.leaves),
        sources_(behind<Vec4>(scratch)) {
    group_.load(data.position, data.old_acceleration, data.targets, targets, data.acceptance,
                sharing, neighbours, ball);
  }

  /// Returns false, and leaves the accelerations alone, if the group should be split and
  /// `may_be_split`.
  GOTHIC_HD bool run(bool may_be_split) {
    judge(Index{}, 1);  // the root
    while (stack_.size() > 0) {
      Index cell;
      const int n = Warp::template take<Family>(stack_, cell);
      judge(cell, n);
      if (may_be_split && is_wide()) {
        sources_summed_ = 0;
        return false;
      }
    }
    empty_leaves();
    sum();
    group_.template store<root>(data_.position, data_.acceleration, data_.acceptance.gravity,
                                data_.softening2);
    return true;
  }

  GOTHIC_HD WalkCount count() const {
    return {std::uint64_t(sources_summed_) * group_.count, cells_judged_};
  }

 private:
  GOTHIC_HD void judge(const Index& cell, int n) {
    const auto center = Warp::gather(data_.center, cell);
    const Index family = Warp::gather(data_.children, cell);
    const Float d2 = squared_distance<Warp>(center, group_.ball);
    const Float reach = reach_of<Warp>(Warp::gather(data_.acceptance_radius, cell),
                                       Warp::gather(data_.size, cell), group_.scale);
    const Float reach_of_group = group_.ball.w + reach;
    const Mask valid = Warp::first(n), inner = Warp::nonzero(family);
    const Mask accepted = d2 >= reach_of_group * reach_of_group, opened = valid && !accepted;
    make_room();
    Warp::append(sources_, valid && accepted, center);
    Warp::append(stack_, opened && inner, family);
    Warp::append(leaves_, opened && !inner, cell);
    if (leaves_.size() > Scratch::leaf_capacity - Warp::width) empty_leaves();
    const int for_extent = Warp::count(opened && d2 >= reach * reach);
    const int for_particle = Warp::count(opened) - for_extent;
    excess_ += float(for_extent) - data_.split_ratio * float(for_particle);
    cells_judged_ += std::uint32_t(n);
  }

  /// Whether the group opens too many cells because of its extent, once enough cells are judged.
  GOTHIC_HD bool is_wide() const { return excess_ > data_.split_ratio * Warp::width; }

  /// Turns leaves into sources.
  GOTHIC_HD void empty_leaves() {
    Warp::for_each_member(
        data_.particles, leaves_.data(), leaves_.size(), [&](const Index& particle, int n) {
          make_room();
          Warp::append(sources_, Warp::first(n), Warp::gather(data_.position, particle));
        });
    leaves_.clear();
  }

  /// Sums the sources if the list has no room for a warp's width of further ones.
  GOTHIC_HD void make_room() {
    if (sources_.size() > data_.list_capacity - Warp::width) sum();
  }

  GOTHIC_HD void sum() {
    const std::uint32_t n = sources_.size();
    group_.template add<root>(sources_.data(), n, data_.softening2);
    sources_summed_ += n;
    sources_.clear();
  }

  const WalkData& data_;
  FixedList<std::uint32_t> stack_, leaves_;
  FixedList<Vec4> sources_;
  TargetGroup<Warp, K> group_;
  /// Cells opened only because of the group's extent, minus split_ratio times the cells that a
  /// particle at its centre would open.
  float excess_ = 0;
  std::uint32_t sources_summed_ = 0, cells_judged_ = 0;
};

}  // namespace gothic
