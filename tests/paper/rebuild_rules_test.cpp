#include "paper/rebuild_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gothic {
namespace {

using Policy = std::unique_ptr<RebuildPolicy>;

/// \param build cost of a construction, for rules that do not measure it
Policy by_rule(RebuildRule rule, double build) {
  const auto make = rebuild_policy(rule);
  return make ? make() : std::make_unique<RebuildByGrowth>(build);
}

/// Cost of a walk, from the number of the step and the age of its tree.
using Cost = std::function<double(int step, int age)>;

/// Which steps are of the same kind: all, or block steps with the same active levels.
enum class Kinds { one, blocks };

/// Ages that trees reached. Pairs and seconds are alike.
/// \param samples whether a sample tells the cost of a step beforehand
std::vector<int> ages(Policy policy, int steps, double build, const Cost& cost, Kinds kinds,
                      bool samples = false) {
  std::vector<int> result;
  int age = 0;
  for (int step = 1; step <= steps; ++step) {
    const std::int64_t time = kinds == Kinds::one ? 1024 : step;  // in ticks
    const bool due = policy->due(time, [&]() -> std::optional<double> {
      if (!samples) return {};
      return cost(step, age + 1);
    });
    if (due && step > 1) result.push_back(age);
    if (due) age = 0;
    EXPECT_EQ(policy->age(), ++age);
    const double own = cost(step, age);
    policy->record(time, {own, own, due ? build : 0});
  }
  return result;
}

/// Ages that trees reached when all steps are of one kind.
std::vector<int> ages_of_like_steps(RebuildRule rule, int steps, double build, const Cost& cost) {
  return ages(by_rule(rule, build), steps, build, cost, Kinds::one);
}

class EveryRule : public testing::TestWithParam<RebuildRule> {};
class ComparingRule : public testing::TestWithParam<RebuildRule> {};

std::string name_of(const testing::TestParamInfo<RebuildRule>& rule) {
  for (const auto& [name, known] : rebuild_rules) {
    if (known == rule.param) return name;
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(Rebuild, EveryRule,
                         testing::Values(RebuildRule::pairs, RebuildRule::seconds,
                                         RebuildRule::unweighted),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Rebuild, ComparingRule,
                         testing::Values(RebuildRule::pairs, RebuildRule::seconds), name_of);

TEST(Rebuild, FixedIntervalIsKeptWhateverTheCost) {
  for (const int interval : {1, 2, 3, 8, 100}) {
    for (const double growth : {0.0, 1000.0}) {
      const auto found = ages(
          std::make_unique<RebuildEvery>(interval), 1000, 200,
          [&](int, int age) { return 1000 + growth * age; }, Kinds::blocks);
      EXPECT_EQ(found, std::vector<int>(std::size_t((1000 - 1) / interval), interval)) << interval;
    }
  }
}

/// The mean cost of n steps with one tree, found by trial.
int best_interval(double build_cost, double growth) {
  const auto mean = [=](int n) { return (build_cost + growth * n * (n - 1) / 2) / n; };
  int n = 1;
  while (mean(n + 1) < mean(n)) ++n;
  return n;
}

/// The optimum is about n^2 = 2 t_make / growth (Miki & Umemura 2017, section 2.6).
TEST_P(EveryRule, LinearGrowthIsCutAtTheOptimum) {
  for (const double build : {50.0, 200.0, 1000.0}) {
    for (const double growth : {0.5, 2.0, 10.0}) {
      const auto found = ages_of_like_steps(
          GetParam(), 2000, build, [&](int, int age) { return 1000 + growth * (age - 1); });
      const int wanted = best_interval(build, growth);
      ASSERT_GT(found.size(), 2000U / unsigned(wanted + 3));
      // The first trees do not count, and now and then a rule looks at the cost of a new tree.
      const auto kept = std::count_if(found.begin() + 2, found.end(),
                                      [&](int age) { return std::abs(age - wanted) <= 1; });
      EXPECT_GE(double(kept), 0.9 * double(found.size() - 2)) << build << ", " << growth;
    }
  }
}

/// With noisy times, as measured ones are, the mean cost of a step is within 2 % of the least.
TEST_P(EveryRule, NoiseCostsLittle) {
  std::mt19937 generator(3);
  std::normal_distribution<double> noise(0, 0.01);
  const double build = 300, growth = 10;
  double total = 0;
  const auto found = ages_of_like_steps(GetParam(), 4000, build, [&](int, int age) {
    const double cost = 1000 + growth * (age - 1);
    total += cost;
    return cost * (1 + noise(generator));
  });
  const int n = best_interval(build, growth);
  const double least = 1000 + (build + growth * n * (n - 1) / 2) / n;
  EXPECT_LT((total + build * double(found.size())) / 4000, 1.02 * least);
}

/// An old tree may cost a hundred times as much. It must not be tried again and again.
TEST_P(ComparingRule, DearTreesAreSeldomTried) {
  const auto found = ages(
      by_rule(GetParam(), 200), 20000, 200,
      [](int step, int age) { return (step % 8 == 0 ? 1 : 0.1) * (age == 1 ? 1000.0 : 100000.0); },
      Kinds::blocks);
  EXPECT_GE(found.size(), 20000U - 60U);
}

/// Costs of steps whose trees get `dear` times as expensive by serving a second one.
Cost dear_when_old(double dear) {
  return [=](int step, int age) { return (step % 8 == 0 ? 1000 : 100) * (age == 1 ? 1 : dear); };
}

TEST(Rebuild, TreesAreKeptFromStepsThatASampleShowsToBeDear) {
  const auto reach = [](double dear, bool samples) {
    const auto found = ages(std::make_unique<RebuildByGrowth>(200), 20000, 200, dear_when_old(dear),
                            Kinds::blocks, samples);
    return *std::max_element(found.begin(), found.end());
  };
  EXPECT_EQ(reach(50, true), 1);
  EXPECT_EQ(reach(50, false), 2);
  EXPECT_GT(reach(1.1, true), 2);
}

TEST(Rebuild, ASampleIsTakenAsSeldomAsAnOldTreeIsTried) {
  int taken = 0;
  RebuildByGrowth policy(200);
  const Cost cost = dear_when_old(50);
  for (int step = 1; step <= 20000; ++step) {
    policy.due(step, [&] {
      ++taken;
      return std::optional(cost(step, policy.age() + 1));
    });
    policy.record(step, {cost(step, policy.age()), 0, 0});
  }
  EXPECT_GE(taken, 2);
  EXPECT_LE(taken, 20);
}

TEST_P(EveryRule, TreeThatDoesNotAgeIsSeldomBuilt) {
  const auto found = ages_of_like_steps(GetParam(), 1000, 200, [](int, int) { return 1000.0; });
  EXPECT_LE(found.size(), 1000U / 50);
}

/// Cost of a block step: few particles are active in most steps, all in every eighth.
double cost_of_block_step(int step, int age) {
  return (step % 8 == 0 ? 2000 : 50) * (1 + 0.01 * (age - 1));
}

TEST_P(ComparingRule, StepWithManyActiveParticlesIsNoSignOfAnOldTree) {
  const auto found = ages(
      by_rule(GetParam(), 200), 1024, 200,
      [](int step, int) { return cost_of_block_step(step, 1); }, Kinds::blocks);
  // The rule looks once, and now and then again, at the cost of each kind of step with a new tree.
  EXPECT_LE(found.size(), 1024U / 8);
}

/// Cost of many block steps with a rule, constructions included.
double total_cost(Policy policy, int steps, double build, const Cost& cost) {
  double total = 0;
  const auto found = ages(
      std::move(policy), steps, build,
      [&](int step, int age) {
        total += cost(step, age);
        return cost(step, age);
      },
      Kinds::blocks);
  return total + build * double(found.size());
}

/// A rule that compares steps with their own kind builds the tree just before the expensive step.
TEST_P(ComparingRule, BeatsThePublishedOneWithBlockSteps) {
  for (const double build : {50.0, 200.0}) {
    const auto cost = [=](RebuildRule rule) {
      return total_cost(by_rule(rule, build), 4096, build, cost_of_block_step);
    };
    EXPECT_LT(cost(GetParam()), 0.99 * cost(RebuildRule::unweighted));
  }
}

/// In an NFW sphere of 2^23 particles an old tree adds as much to a cheap step as to an expensive
/// one. So the relative costs, to which growth is fitted, tell little.
TEST_P(ComparingRule, TreesThatAgeLikeNoFitAreTriedAtLittleCost) {
  const auto cost = [](int step, int age) {
    const double fresh = step % 2 == 1 ? 100 : step % 4 == 2 ? 560 : 730;
    return fresh + 500.0 * (age - 1);
  };
  const double build = 310;
  EXPECT_LT(total_cost(by_rule(GetParam(), build), 1024, build, cost),
            1.01 * total_cost(std::make_unique<RebuildEvery>(1), 1024, build, cost));
}

TEST_P(ComparingRule, SystemThatBecomesDearerDoesNotBuildAtEveryStep) {
  const auto found = ages_of_like_steps(
      GetParam(), 2000, 200, [](int step, int age) { return 1000 + step + 2.0 * (age - 1); });
  EXPECT_LE(found.size(), 2000U / 5);
}

TEST_P(ComparingRule, PassiveStepsDoNotAgeTheTree) {
  const auto few =
      ages_of_like_steps(GetParam(), 1000, 200, [](int, int age) { return 10 + 0.1 * (age - 1); });
  const auto all = ages_of_like_steps(GetParam(), 1000, 200,
                                      [](int, int age) { return 1000 + 10.0 * (age - 1); });
  EXPECT_LT(4 * few.size(), all.size());
}

}  // namespace
}  // namespace gothic
