#include "paper/rebuild_rules.hpp"

#include <optional>
#include <vector>

#include "core/dynamics/growth.hpp"

namespace gothic {
namespace {

/// Mean seconds of a construction, in which the latest ones count most.
double mean_build(double so_far, double now) { return so_far > 0 ? 0.5 * (so_far + now) : now; }

class RebuildBySeconds final : public RebuildByGrowth {
 public:
  RebuildBySeconds() : RebuildByGrowth(0, true) {}
  void record(std::int64_t now, const RebuildCost& cost) override {
    if (age() == 1) build_ = mean_build(build_, cost.build);
    learn(now, age(), cost.walk);
  }
};

/// The published rule: it fits models of growth to the times of the walks that had the present tree
/// and asks the best one whether the mean time of a step is past its minimum. With block steps an
/// expensive step looks like a bad tree.
class RebuildAsPublished final : public RebuildPolicy {
 public:
  void record(std::int64_t, const RebuildCost& cost) override {
    if (age() == 1) build_ = mean_build(build_, cost.build);
    served_.push_back({double(age()), cost.walk});
  }

  void visit(NamedState& all) override {
    RebuildPolicy::visit(all);
    all("build", build_)("served", served_);
  }

 private:
  bool new_tree_pays(std::int64_t, const Sample&) override {
    if (age() == 0) return true;
    const std::optional<Growth> growth = fit_growth(served_);
    return growth && growth->past_optimum(age(), build_);
  }
  void forget_tree() override { served_.clear(); }

  double build_ = 0;                ///< seconds of a construction
  std::vector<WalkSample> served_;  ///< steps with the present tree
};

}  // namespace

std::function<std::unique_ptr<RebuildPolicy>()> rebuild_policy(RebuildRule rule) {
  switch (rule) {
    case RebuildRule::seconds:
      return [] { return std::make_unique<RebuildBySeconds>(); };
    case RebuildRule::unweighted:
      return [] { return std::make_unique<RebuildAsPublished>(); };
    default:
      return nullptr;
  }
}

}  // namespace gothic
