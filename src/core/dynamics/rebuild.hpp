#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/dynamics/step_costs.hpp"
#include "core/named_state.hpp"

namespace gothic {

/// What a step cost.
struct RebuildCost {
  double pairs = 0;  ///< equivalent pairs of points that were summed, over the number of particles
  double walk = 0;   ///< seconds
  double build = 0;  ///< seconds, if the tree was built
};

/// Decides when the tree is built anew. The tree of the first force serves the first steps.
class RebuildPolicy {
 public:
  /// Finds some forces of the coming step with the present tree. Returns the pairs that all of them
  /// would sum, as RebuildCost has them; nothing if the step is too small for a sample.
  using Sample = std::function<std::optional<double>()>;

  virtual ~RebuildPolicy() = default;

  /// Steps that the present tree has served.
  int age() const { return age_; }

  /// Whether the coming step, to time `now` in ticks, gets a new tree. Call once for each step.
  bool due(std::int64_t now, const Sample& sample) {
    const bool rebuild = new_tree_pays(now, sample);
    if (rebuild) {
      age_ = 0;
      forget_tree();
    }
    ++age_;
    return rebuild;
  }

  /// Tells what the step to time `now` cost.
  virtual void record(std::int64_t now, const RebuildCost& cost) = 0;

  // what was learnt; see named_state.hpp
  virtual void visit(NamedState& all) { all("age", age_); }

 private:
  virtual bool new_tree_pays(std::int64_t now, const Sample& sample) = 0;
  virtual void forget_tree() = 0;

  int age_ = 0;
};

/// One tree serves a fixed number of steps.
class RebuildEvery final : public RebuildPolicy {
 public:
  explicit RebuildEvery(int interval) : interval_(interval) {}
  void record(std::int64_t, const RebuildCost&) override {}

 private:
  bool new_tree_pays(std::int64_t, const Sample&) override { return age() >= interval_; }
  void forget_tree() override {}

  int interval_;
};

/// A tree is built anew when that makes the mean step cheaper (Miki & Umemura 2017, section 2.6).
///
/// As particles move, groups and cells widen and the walk sums more pairs. With block steps the
/// pairs also vary by orders of magnitude with the number of active particles. So steps are
/// compared with steps of their kind (StepCosts). The excess of a step is its cost minus the cost
/// of such a step with a new tree. A further step with the old tree pays while its expected excess
/// is below the mean over the steps so far of construction and excesses. Where all steps are alike
/// this is the published optimum; where they differ, expensive steps get a new tree. A tree whose
/// excesses reach the cost of a construction is replaced in any case: for growth that is linear or
/// faster the optimum comes no later.
///
/// Systems evolve, so a kind of step without a recent new tree gets one, and an old tree is tried
/// again after many steps with new ones, in a step that is not dearer than others. Where particles
/// cross many cells in a step, such a trial may cost as much as many steps. So a sample of its
/// forces comes first. Since pairs are counted, a run can be repeated exactly.
class RebuildByGrowth : public RebuildPolicy {
 public:
  /// \param build_pairs pairs per particle that could be summed while the tree is built
  explicit RebuildByGrowth(double build_pairs) : RebuildByGrowth(build_pairs, false) {}

  void record(std::int64_t now, const RebuildCost& cost) override { learn(now, age(), cost.pairs); }

  void visit(NamedState& all) override {
    RebuildPolicy::visit(all);
    all("build", build_)("excess", excess_)("last_excess", last_excess_);
    all("not_old_for", not_old_for_)("costs", costs_);
  }

 protected:
  /// \param noisy whether costs are measured times
  RebuildByGrowth(double build, bool noisy) : build_(build), costs_(noisy) {}

  /// Records the cost of a step whose tree has served `age` steps, itself included, in the unit of
  /// the construction's cost.
  void learn(std::int64_t now, int age, double cost) {
    costs_.record(now, age, cost);
    if (age == 1) {
      ++not_old_for_;
    } else {
      last_excess_ = std::max(0.0, cost - costs_.fresh(now));
      excess_ += last_excess_;
      not_old_for_ = 0;
    }
  }

  double build_;  ///< cost of a construction

 private:
  static constexpr int patience = 64;

  bool new_tree_pays(std::int64_t now, const Sample& sample) override {
    if (age() == 0 || excess_ >= build_ || costs_.fresh_for(now) >= patience) return true;
    // The dearer the last old tree was, the longer it takes until one is tried again.
    const bool untried = not_old_for_ > patience * std::max(1.0, last_excess_ / build_);
    if (costs_.knows_growth() && (!untried || costs_.dear(now))) {
      return pays(costs_.fresh(now) * costs_.excess_share(age() + 1));
    }
    const std::optional<double> cost = costs_.are_noisy() ? std::nullopt : sample();
    if (!cost || !pays(*cost - costs_.fresh(now))) return false;
    learn(now, age() + 1, *cost);
    return true;
  }
  /// Whether a new tree pays where a step with the old one has this excess.
  bool pays(double excess) const { return excess * age() >= build_ + excess_; }
  void forget_tree() override { excess_ = 0; }

  double excess_ = 0,
         last_excess_ = 0;  ///< sum over the steps of this tree; excess of the last step
  int not_old_for_ = 0;     ///< steps since the last one with an old tree, or with a sample of it
  StepCosts costs_;
};

}  // namespace gothic
