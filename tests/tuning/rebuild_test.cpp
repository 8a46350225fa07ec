#include "tuning/rebuild.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace gothic {
namespace {

/// What a step costs: pairs per active particle, from its number and the age of its tree.
using Cost = std::function<double(int step, int age)>;

/// Ages that trees reached, for steps at times `time(step)` in ticks.
std::vector<int> ages(RebuildPolicy policy, int steps, const Cost& pairs,
                      const std::function<std::int64_t(int)>& time,
                      const std::function<double(int)>& share) {
  std::vector<int> result;
  int age = 0;
  for (int step = 1; step <= steps; ++step) {
    if (policy.due(time(step), share(step))) {
      result.push_back(age);
      age = 0;
    }
    ++age;
    policy.record(time(step), share(step), pairs(step, age));
  }
  return result;
}

std::vector<int> ages_with_shared_steps(RebuildPolicy policy, int steps, const Cost& pairs) {
  return ages(
      policy, steps, pairs, [](int) { return std::int64_t(1024); }, [](int) { return 1.0; });
}

TEST(RebuildPolicy, FixedIntervalIsKeptWhateverTheCost) {
  for (const int interval : {1, 2, 3, 8, 100}) {
    for (const double growth : {0.0, 1000.0}) {
      const auto found = ages_with_shared_steps(RebuildPolicy(interval, 200), 1000,
                                                [&](int, int age) { return 1000 + growth * age; });
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

/// About n^2 = 2 t_make / growth (Miki & Umemura 2017, section 2.6), for slow growth and fast.
TEST(RebuildPolicy, LinearGrowthIsCutAtTheOptimum) {
  for (const double build_cost : {50.0, 200.0, 1000.0}) {
    for (const double growth : {0.5, 2.0, 10.0, 50.0}) {
      const auto found =
          ages_with_shared_steps(RebuildPolicy(0, build_cost), 2000,
                                 [&](int, int age) { return 1000 + growth * (age - 1); });
      const int wanted = best_interval(build_cost, growth);
      ASSERT_GT(found.size(), 2000U / unsigned(wanted + 1));
      // But for a look at the cost of an old tree now and then, and the first of them.
      const auto kept = std::count(found.begin() + 2, found.end(), wanted);
      EXPECT_GE(double(kept), 0.95 * double(found.size() - 2)) << build_cost << ", " << growth;
    }
  }
}

TEST(RebuildPolicy, TreeThatAgesAtOnceIsBuiltAtEveryStep) {
  const auto found = ages_with_shared_steps(
      RebuildPolicy(0, 200), 1000, [](int, int age) { return age == 1 ? 1000.0 : 9000.0; });
  EXPECT_GE(found.size(), 960U);
}

/// An old tree may cost a hundred times as much: it is not tried again and again.
TEST(RebuildPolicy, DearTreesAreSeldomTried) {
  const auto found = ages(
      RebuildPolicy(0, 200), 20000, [](int, int age) { return age == 1 ? 1000.0 : 100000.0; },
      [](int step) { return std::int64_t(step); },
      [](int step) { return step % 8 == 0 ? 1.0 : 0.1; });
  EXPECT_GE(found.size(), 20000U - 20U);
}

TEST(RebuildPolicy, TreeThatDoesNotAgeIsSeldomBuilt) {
  const auto found =
      ages_with_shared_steps(RebuildPolicy(0, 200), 1000, [](int, int) { return 1000.0; });
  EXPECT_LE(found.size(), 1000U / 50);
}

/// Few active particles at most steps, all at every eighth, each kind at its own cost.
TEST(RebuildPolicy, StepWithManyActiveParticlesIsNoSignOfAnOldTree) {
  const auto found = ages(
      RebuildPolicy(0, 200), 1024, [](int step, int) { return step % 8 == 0 ? 2000.0 : 500.0; },
      [](int step) { return std::int64_t(step); },
      [](int step) { return step % 8 == 0 ? 1.0 : 0.1; });
  // Every kind of step asks for one look at its cost with a new tree, and now and then again.
  EXPECT_LE(found.size(), 1024U / 8);
}

TEST(RebuildPolicy, SystemThatBecomesDearerDoesNotBuildAtEveryStep) {
  const auto found = ages_with_shared_steps(
      RebuildPolicy(0, 200), 2000, [](int step, int age) { return 1000 + step + 2.0 * (age - 1); });
  EXPECT_LE(found.size(), 2000U / 5);
}

TEST(RebuildPolicy, PassiveStepsDoNotAgeTheTree) {
  const auto few = ages(
      RebuildPolicy(0, 200), 1000, [](int, int age) { return 1000 + 10.0 * (age - 1); },
      [](int) { return std::int64_t(1024); }, [](int) { return 0.01; });
  const auto all = ages_with_shared_steps(RebuildPolicy(0, 200), 1000,
                                          [](int, int age) { return 1000 + 10.0 * (age - 1); });
  EXPECT_LT(4 * few.size(), all.size());
}

}  // namespace
}  // namespace gothic
