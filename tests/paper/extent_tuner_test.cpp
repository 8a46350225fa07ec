#include "paper/extent_tuner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace gothic {
namespace {

/// Time of a walk over the time of a walk without a limit, as a function of log2(limit).
using Ratio = std::function<double(double log2)>;

/// A dip with its minimum at `best`; 1 far above it.
Ratio dip(double best, double depth) {
  return [=](double log2) {
    const double x = log2 - best;
    return x > 0 ? 1 - depth * std::exp(-x * x) : 1 - depth + 0.2 * x * x;
  };
}

double log2_of(float extent) { return extent > 1e30F ? 1e3 : std::log2(double(extent)); }

/// Runs a tuner through block steps. Every eighth step is expensive, and a tree serves four.
/// Returns the time of the last `count` steps over their time without a limit.
/// \param ratio Ratio of a step, from its number
double relative_time(ExtentTuner& tuner, const std::function<Ratio(int)>& ratio, int steps,
                     int count, double noise_level) {
  std::mt19937 generator(5);
  std::normal_distribution<double> noise;
  double time = 0, without = 0;
  for (int step = 1; step <= steps; ++step) {
    const int age = (step - 1) % 4 + 1;
    const double plain = (step % 8 == 0 ? 8.0 : 1.0) * (1 + 0.03 * (age - 1));
    const double own = plain * ratio(step)(log2_of(tuner.extent()));
    if (step > steps - count) {
      time += own;
      without += plain;
    }
    tuner.record(step, age, own * (1 + noise_level * noise(generator)));
  }
  return time / without;
}

TEST(ExtentTuner, StartsWithoutALimit) { EXPECT_GT(ExtentTuner(0, 5).extent(), 1e38F); }

TEST(ExtentTuner, FindsTheMinimumWithinSixtyFourSteps) {
  for (const double best : {-0.5, 1.0, 3.0, 4.5}) {
    for (const double noise : {0.0, 0.005}) {
      ExtentTuner tuner(0, 5);
      const auto ratio = [=](int) { return dip(best, 0.1); };
      EXPECT_LT(relative_time(tuner, ratio, 104, 40, noise), 0.9 * 1.05) << best << ", " << noise;
    }
  }
}

/// If every limit costs time, the tuner sets none and seldom tries one.
TEST(ExtentTuner, SetsNoLimitThatDoesNotPay) {
  ExtentTuner tuner(0, 5);
  const auto costs = [](int) {
    return [](double log2) { return log2 > 6 ? 1 : 1.02 + 0.05 * (6 - log2); };
  };
  EXPECT_LT(relative_time(tuner, costs, 1100, 1000, 0.005), 1.02);
}

TEST(ExtentTuner, FollowsAMinimumThatMoves) {
  ExtentTuner tuner(0, 5);
  const auto moving = [](int step) { return dip(1 + 2.0 * step / 4000, 0.15); };
  EXPECT_LT(relative_time(tuner, moving, 4000, 500, 0.002), 0.85 * 1.05);
}

}  // namespace
}  // namespace gothic
