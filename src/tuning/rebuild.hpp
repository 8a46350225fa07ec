#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace gothic {

/// Decides when the tree is built anew: after a fixed number of steps, or when the old tree has
/// cost as much as a new one would.
///
/// As particles move, groups and cells widen and the walk sums more pairs. If that excess grows
/// linearly, the mean cost of a step is least when the excess, added up since the last
/// construction, is n^2 / 2 times its growth per step and equals the cost of the construction: n^2
/// = 2 t_make / Delta t of Miki & Umemura (2017), section 2.6. Here cost is counted in pairs, not
/// in seconds, so that a run can be repeated exactly. The excess is taken against a step of the
/// same kind with a new tree, so that a step with many active particles does not look like a bad
/// tree; a kind of step that has had no new tree for long gets one.
class RebuildPolicy {
 public:
  /// \param interval steps that one tree serves; 0 to decide by the excess
  /// \param build_cost pairs per particle that could be summed while the tree is built
  RebuildPolicy(int interval, double build_cost) : interval_(interval), build_cost_(build_cost) {}

  /// Whether the coming step, to time `now` in ticks, wants a new tree; to be asked once a step.
  bool due(std::int64_t now) {
    const bool rebuild = interval_ > 0
                             ? age_ >= interval_
                             : kind_of(now).unknown_for >= patience || old_tree_costs_more();
    if (rebuild) {
      age_ = 0;
      excess_ = 0;
    }
    ++age_;
    return rebuild;
  }

  /// Tells what the step cost.
  /// \param share active particles over all, \param pairs summed per active particle
  void record(std::int64_t now, double share, double pairs) {
    Kind& kind = kind_of(now);
    if (age_ == 1) {
      kind = {pairs, 0};
    } else {
      ++kind.unknown_for;
      excess_ += share * std::max(0.0, pairs - kind.pairs);
    }
  }

 private:
  /// Steps with the same active block levels.
  struct Kind {
    double pairs = 0;            ///< per active particle, with a new tree
    int unknown_for = patience;  ///< steps since that was seen
  };

  /// Systems evolve: after so many steps of a kind its cost with a new tree is looked at again.
  static constexpr int patience = 64;

  /// The power of two that divides the time says which block levels are active.
  Kind& kind_of(std::int64_t now) {
    return kinds_[std::size_t(std::countr_zero(std::uint64_t(now) | (1ULL << 63)))];
  }

  /// The excess of n steps so far is n (n - 1) / 2 times its growth per step.
  bool old_tree_costs_more() const {
    return age_ > 1 && excess_ * age_ / (age_ - 1) >= build_cost_;
  }

  int interval_;
  double build_cost_;
  int age_ = 0;        ///< steps that the present tree has served
  double excess_ = 0;  ///< pairs per particle
  std::array<Kind, 64> kinds_{};
};

}  // namespace gothic
