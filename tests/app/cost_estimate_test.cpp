#include "app/cost_estimate.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/dynamics/time_grid.hpp"

namespace gothic {
namespace {

/// Costs that follow the assumed law.
StepCost lawful_cost() {
  return {.particles = 1 << 20,
          .walk_all_active = 1,
          .fewest_active = 1 << 10,
          .walk_fewest_active = std::exp2(-9),  // a power of 9 / 10
          .besides = 0.01,
          .build = 0.1};
}

ForceCost force(double walk, double build = 0) {
  ForceCost cost;
  cost.walk = walk;
  cost.keys = cost.sort = build / 4;
  cost.build = build / 2;
  return cost;
}

StepRecord step(std::uint32_t active, double walk, double build, double besides) {
  StepRecord record;
  record.active = active;
  record.force = force(walk, build);
  record.total = walk + build + besides;
  return record;
}

TEST(StepCost, IsTakenFromTheFirstForceAndTheCheapestSteps) {
  const std::vector<StepRecord> steps = {step(100, 2, 1, 0.1), step(10, 0.5, 0, 0.2),
                                         step(10, 0.3, 4, 0.3), step(10, 0.4, 0, 9)};
  const StepCost cost = measured_cost(force(7, 2), steps, 1000, 3);
  EXPECT_EQ(cost.particles, 1000);
  EXPECT_EQ(cost.walk_all_active, 7);
  EXPECT_EQ(cost.build, 2);
  EXPECT_EQ(cost.fewest_active, 10);
  EXPECT_EQ(cost.walk_fewest_active, 0.4);
  EXPECT_NEAR(cost.besides, 0.25, 1e-12);
  EXPECT_EQ(cost.rebuild_interval, 3);
}

TEST(StepCost, OfAWalkIsAPowerLawThroughBothMeasurements) {
  StepCost cost = lawful_cost();
  EXPECT_NEAR(cost.walk_seconds(1 << 20), 1, 1e-12);
  EXPECT_NEAR(cost.walk_seconds(1 << 10), std::exp2(-9), 1e-12);
  EXPECT_NEAR(cost.walk_seconds(1), std::exp2(-18), 1e-12);
  cost.fewest_active = cost.particles;  // one kind of step is known: in proportion
  EXPECT_NEAR(cost.walk_seconds(1 << 19), 0.5, 1e-12);
}

TEST(CostEstimate, IsThatOfSharedSteps) {
  StepCost cost = lawful_cost();
  cost.rebuild_interval = 4;
  const CostEstimate found = estimated({{0.25, 1 << 20}}, cost);
  EXPECT_EQ(found.shortest_step, 0.25);
  EXPECT_EQ(found.longest_step, 0.25);
  EXPECT_EQ(found.steps_per_longest, 1);
  EXPECT_EQ(found.active, 1);
  EXPECT_EQ(found.tree_interval, 4);
  EXPECT_NEAR(found.seconds_per_step, 1 + 0.01 + 0.1 / 4, 1e-12);
}

TEST(CostEstimate, HasTreesServeTheLongerTheCheaperStepsAre) {
  StepCost cost = lawful_cost();
  EXPECT_NEAR(estimated({{1, 1 << 20}}, cost).tree_interval, std::sqrt(20 * 0.1), 1e-12);
  cost.build = 0.001;
  const CostEstimate found = estimated({{1, 1 << 20}}, cost);
  EXPECT_EQ(found.tree_interval, 1);
  EXPECT_NEAR(found.seconds_per_step, 1 + 0.01 + 2 * 0.001, 1e-12);
}

/// The closed forms equal sums over the steps that the time grid takes.
TEST(CostEstimate, IsTheMeanOfTheStepsOfOneLongestStep) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    Population::Counts counts{};
    std::uint32_t all = 0;
    for (int level = 2; level < 12; ++level) {
      if (random() % 3 != 0) counts[std::size_t(level)] = 1 + random() % 1000;
      all += counts[std::size_t(level)];
    }
    if (all == 0) continue;
    Population population;
    population.move(0, counts);
    const TimeGrid grid{0x1p-8, 30};
    StepLevels levels;
    for (int level = 0; level < 12; ++level) {
      const std::uint32_t particles = counts[std::size_t(level)];
      if (particles > 0) levels.push_back({grid.time(1 << level), particles});
    }
    const StepCost cost{.particles = double(all),
                        .walk_all_active = 3,
                        .fewest_active = 1,
                        .walk_fewest_active = 0.01};
    double steps = 0, active = 0, walk = 0;
    for (std::int64_t now = 0; grid.time(now) < levels.back().step;) {
      const Population::Due due = population.next(grid, now);
      now = due.time;
      ++steps;
      active += due.particles;
      walk += cost.walk_seconds(due.particles);
    }
    const CostEstimate found = estimated(levels, cost);
    EXPECT_EQ(found.steps_per_longest, steps);
    EXPECT_NEAR(found.active, active / steps / all, 1e-12);
    EXPECT_NEAR(found.seconds_per_step, walk / steps, 1e-12);
  }
}

}  // namespace
}  // namespace gothic
