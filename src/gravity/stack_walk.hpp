#pragma once

#include <cstdint>

#include "device/fixed_list.hpp"
#include "gravity/pair.hpp"
#include "gravity/target_group.hpp"
#include "gravity/walk_data.hpp"

namespace gothic {

/// Memory that a warp needs for the walks of single groups.
template <class Warp>
struct StackScratch {
  /// A batch opens as many cells at most as a warp has lanes, and all families of one level of the
  /// tree on the stack come from one batch: those of a deeper one are taken first.
  static constexpr std::uint32_t stack_capacity = Warp::width * (tree_levels_at_most + 1);
  static constexpr std::uint32_t leaf_capacity = 2 * Warp::width;
  static constexpr std::uint32_t register_size = Warp::width;  ///< may be written behind a list

  Vec4 sources[Warp::source_capacity + register_size];
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
/// \tparam K particles per lane
template <class Warp, int K, Root root>
class StackWalk {
 public:
  using Float = typename Warp::Float;
  using Mask = typename Warp::Mask;
  using Index = typename Warp::Index;
  using Scratch = StackScratch<Warp>;

  GOTHIC_HD StackWalk(const WalkData& data, Scratch& scratch, std::uint32_t number)
      : data_(data),
        stack_(scratch.stack),
        leaves_(scratch.leaves),
        sources_(scratch.sources),
        number_(number) {
    group_.load(data.position, data.old_acceleration, data.targets, data.groups[number],
                data.acceptance, data.sharing);
  }

  GOTHIC_HD void run() {
    judge(Index{}, 1);  // the root
    while (stack_.size() > 0) {
      Index cell;
      const int n = Warp::template take<Family>(stack_, cell);
      judge(cell, n);
    }
    empty_leaves();
    sum();
    group_.template store<root>(data_.acceleration, data_.acceptance.gravity, data_.softening2);
    data_.counts[number_] = count_;
  }

 private:
  GOTHIC_HD void judge(const Index& cell, int n) {
    const auto center = Warp::gather(data_.center, cell);
    const Index family = Warp::gather(data_.children, cell);
    const Mask valid = Warp::first(n), inner = Warp::nonzero(family);
    const Mask accepted = may_act<Warp>(center, Warp::gather(data_.acceptance_radius, cell),
                                        Warp::gather(data_.size, cell), group_);
    make_room();
    Warp::append(sources_, valid && accepted, center);
    Warp::append(stack_, valid && !accepted && inner, family);
    Warp::append(leaves_, valid && !accepted && !inner, cell);
    if (leaves_.size() > Scratch::leaf_capacity - Warp::width) empty_leaves();
    count_.cells_judged += std::uint64_t(n);
  }

  /// Turns leaves into sources.
  GOTHIC_HD void empty_leaves() {
    Warp::for_each_member(data_.particles, leaves_.data(), leaves_.size(),
                          [&](const Index& particle, int n) {
                            make_room();
                            Warp::append(sources_, Warp::first(n),
                                         Warp::gather(data_.position, particle));
                          });
    leaves_.clear();
  }

  /// For as many sources as there are lanes.
  GOTHIC_HD void make_room() {
    if (sources_.size() > Warp::source_capacity - Warp::width) sum();
  }

  GOTHIC_HD void sum() {
    const std::uint32_t n = sources_.size();
    group_.template add<root>(sources_.data(), n, data_.softening2);
    count_.interactions += std::uint64_t(n) * group_.count;
    sources_.clear();
  }

  const WalkData& data_;
  FixedList<std::uint32_t> stack_, leaves_;
  FixedList<Vec4> sources_;
  std::uint32_t number_;
  TargetGroup<Warp, K> group_;
  WalkCount count_;
};

}  // namespace gothic
