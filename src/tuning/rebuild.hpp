#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "device/bits.hpp"

namespace gothic {

/// Decides when the tree is built anew: after a fixed number of steps, or when that makes the mean
/// step cheaper.
///
/// As particles move, groups and cells widen and the walk sums more pairs. One more step with the
/// old tree pays as long as its excess over a step with a new tree is below the mean cost of the
/// steps so far, construction and excess together. If the excess grows linearly, this is the
/// interval n with n^2 = 2 t_make / Delta t of Miki & Umemura (2017), section 2.6. Here cost is
/// counted in pairs, not in seconds, so that a run can be repeated exactly.
///
/// The excess is taken against a step of the same kind with a new tree, so that a step with many
/// active particles does not look like a bad tree, and expected from the last step of the same kind
/// with an old tree, or of another kind at first. What was not seen of late is looked at again, the
/// later the dearer an old tree was.
class RebuildPolicy {
 public:
  /// \param interval steps that one tree serves; 0 to decide by the excess
  /// \param build_cost pairs per particle that could be summed while the tree is built
  RebuildPolicy(int interval, double build_cost) : interval_(interval), build_cost_(build_cost) {}

  /// Whether the coming step, to time `now` in ticks, wants a new tree; to be asked once a step.
  /// \param share active particles over all
  bool due(std::int64_t now, double share) {
    const bool rebuild =
        interval_ > 0 ? age_ >= interval_ : age_ == 0 || new_tree_pays(kind_of(now), share);
    if (rebuild) {
      age_ = 0;
      excess_ = 0;
    }
    ++age_;
    return rebuild;
  }

  /// Tells what the step cost.
  /// \param share as above, \param pairs summed per active particle
  void record(std::int64_t now, double share, double pairs) {
    Kind& kind = kind_of(now);
    ++kind.fresh_for;
    if (kind.growth_for < never) ++kind.growth_for;
    if (age_ == 1) {
      kind.fresh = pairs;
      kind.fresh_for = 0;
    } else {
      const double excess = share * std::max(0.0, pairs - kind.fresh);
      excess_ += excess;
      kind.growth = excess / (age_ - 1);
      kind.growth_for = 0;
      growth_per_active_ = kind.growth / share;
    }
  }

 private:
  /// Systems evolve: what was seen longer ago is looked at again.
  static constexpr int patience = 64, never = 1 << 30;

  /// Steps with the same active block levels.
  struct Kind {
    double fresh = 0;   ///< pairs per active particle with a new tree
    double growth = 0;  ///< excess in pairs per particle, per step that the tree has served
    int fresh_for = patience, growth_for = never;  ///< steps of this kind since that was seen
  };

  /// The power of two that divides the time says which block levels are active.
  Kind& kind_of(std::int64_t now) {
    return kinds_[std::size_t(countr_zero(std::uint64_t(now) | (1ULL << 63)))];
  }

  bool new_tree_pays(const Kind& kind, double share) const {
    if (kind.fresh_for >= patience) return true;
    const bool known = kind.growth_for < never;
    const double growth = known ? kind.growth : growth_per_active_ * share;
    if (known && kind.growth_for > patience * std::max(1.0, growth / build_cost_)) return false;
    return growth * age_ >= (build_cost_ + excess_) / age_;
  }

  int interval_;
  double build_cost_;
  int age_ = 0;                   ///< steps that the present tree has served
  double excess_ = 0;             ///< pairs per particle
  double growth_per_active_ = 0;  ///< of any kind of step, for those of which it is not known
  std::array<Kind, 64> kinds_{};
};

}  // namespace gothic
