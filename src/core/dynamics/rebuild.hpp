#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/dynamics/growth.hpp"
#include "core/dynamics/step_costs.hpp"

namespace gothic {

/// By what it is decided when a tree is built anew.
enum class RebuildRule {
  pairs,      ///< growth of the pairs summed, each kind of step against its like
  seconds,    ///< growth of the walk's time, each kind of step against its like
  unweighted  ///< growth of the walk's time from step to step, as published
};
inline constexpr std::pair<const char*, RebuildRule> rebuild_rules[] = {
    {"pairs", RebuildRule::pairs},
    {"seconds", RebuildRule::seconds},
    {"unweighted", RebuildRule::unweighted}};

/// What a step cost.
struct RebuildCost {
  double pairs = 0;  ///< summed, over the number of all particles
  double walk = 0;   ///< seconds
  double build = 0;  ///< seconds, if the tree was built
};

/// Decides when the tree is built anew: after a fixed number of steps, or when that makes the mean
/// step cheaper (Miki & Umemura 2017, section 2.6).
///
/// As particles move, groups and cells widen and the walk sums more pairs. The published rule fits
/// models of that growth to the times of the walks that had the present tree and asks the best one
/// whether the mean time of a step is past its minimum. With block steps those times differ by
/// orders of magnitude for another reason, the number of active particles, and an expensive step
/// looks like a bad tree.
///
/// The other rules compare steps of one kind (StepCosts). One more step with the old tree pays as
/// long as its excess over a step with a new one is below the mean cost of the steps that the tree
/// has served, construction and excess together. Where all steps are alike this is the same
/// optimum; where they differ, the tree is new for the expensive ones. Whatever the fit says, a
/// tree whose excess is as large as the cost of a construction has served long enough: for growth
/// that is linear or faster the optimum comes no later.
///
/// What was not seen of late is looked at again, for systems evolve; an old tree in a step that is
/// not dearer than others. With `pairs` a run can be repeated exactly.
class RebuildPolicy {
 public:
  /// \param interval steps that one tree serves; 0 to decide by the rule
  /// \param build_pairs pairs per particle that could be summed while the tree is built
  RebuildPolicy(RebuildRule rule, int interval, double build_pairs)
      : rule_(rule),
        interval_(interval),
        build_(rule == RebuildRule::pairs ? build_pairs : 0),
        costs_(rule != RebuildRule::pairs) {}

  /// Steps that the present tree has served.
  int age() const { return age_; }

  /// Whether the coming step, to time `now` in ticks, wants a new tree; to be asked once a step.
  /// The tree of the first force serves the first steps of an interval.
  bool due(std::int64_t now) {
    const bool rebuild = interval_ > 0 ? age_ >= interval_ : age_ == 0 || new_tree_pays(now);
    if (rebuild) {
      age_ = 0;
      excess_ = 0;
      served_.clear();
    }
    ++age_;
    return rebuild;
  }

  /// Tells what the step cost.
  void record(std::int64_t now, const RebuildCost& cost) {
    if (interval_ > 0) return;
    if (rule_ != RebuildRule::pairs && age_ == 1) {
      build_ = build_ > 0 ? 0.5 * (build_ + cost.build) : cost.build;
    }
    if (rule_ == RebuildRule::unweighted) {
      served_.push_back({double(age_), cost.walk});
      return;
    }
    const double own = rule_ == RebuildRule::pairs ? cost.pairs : cost.walk;
    costs_.record(now, age_, own);
    if (age_ == 1) {
      ++not_old_for_;
    } else {
      last_excess_ = std::max(0.0, own - costs_.fresh(now));
      excess_ += last_excess_;
      not_old_for_ = 0;
    }
  }

  /// See named_state.hpp.
  template <class Visitor>
  void visit(Visitor& all) {
    all("build", build_)("age", age_)("excess", excess_)("last_excess", last_excess_)("not_old_for", not_old_for_)("costs", costs_)("served", served_);
  }

 private:
  static constexpr int patience = 64;

  bool new_tree_pays(std::int64_t now) const {
    if (rule_ == RebuildRule::unweighted) {
      const std::optional<Growth> growth = fit_growth(served_);
      return growth && growth->past_optimum(age_, build_);
    }
    if (excess_ >= build_ || costs_.fresh_for(now) >= patience) return true;
    // An old tree is tried again the later, the dearer it was.
    const bool untried = not_old_for_ > patience * std::max(1.0, last_excess_ / build_);
    if (untried && !costs_.dear(now)) return false;
    return costs_.fresh(now) * costs_.excess_share(age_ + 1) * age_ >= build_ + excess_;
  }

  RebuildRule rule_;
  int interval_;
  double build_;  ///< cost of a construction
  int age_ = 0;
  double excess_ = 0, last_excess_ = 0;  ///< of the steps that the tree has served; of the last one
  int not_old_for_ = 0;                  ///< steps since one had a tree that was not new
  StepCosts costs_;
  std::vector<WalkSample> served_;  ///< steps with the present tree, for the published rule
};

}  // namespace gothic
