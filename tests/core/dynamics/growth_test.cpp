#include "core/dynamics/growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace gothic {
namespace {

using Law = Growth::Law;

std::vector<WalkSample> samples(int n, const std::function<double(int)>& cost) {
  std::vector<WalkSample> result;
  for (int i = 1; i <= n; ++i) result.push_back({double(i), cost(i)});
  return result;
}

TEST(Growth, ExactSamplesGiveBackTheirLaw) {
  const auto linear = fit_growth(samples(12, [](int i) { return 3 + 0.25 * (i - 1); }));
  ASSERT_TRUE(linear);
  EXPECT_NEAR(linear->cost(1), 3, 1e-9);
  EXPECT_NEAR(linear->cost(21), 8, 1e-8);

  const auto power = fit_growth(samples(12, [](int i) { return 3 * std::pow(1.1, i - 1); }));
  ASSERT_TRUE(power);
  EXPECT_EQ(power->law, Law::power);
  EXPECT_NEAR(power->first, 3, 1e-9);
  EXPECT_NEAR(power->ratio, 1.1, 1e-9);

  const auto parabolic =
      fit_growth(samples(12, [](int i) { return 3 + 0.1 * (i - 1) + 0.02 * (i - 1) * (i - 1); }));
  ASSERT_TRUE(parabolic);
  EXPECT_EQ(parabolic->law, Law::parabolic);
  EXPECT_NEAR(parabolic->first, 3, 1e-8);
  EXPECT_NEAR(parabolic->slope, 0.1, 1e-8);
  EXPECT_NEAR(parabolic->curvature, 0.02, 1e-9);
}

/// A law with as many parameters as samples would always fit.
TEST(Growth, NeedsOneSampleMoreThanParameters) {
  const auto cost = [](int i) { return 1.0 + i * i; };
  EXPECT_FALSE(fit_growth(samples(2, cost)));
  ASSERT_TRUE(fit_growth(samples(3, cost)));
  EXPECT_NE(fit_growth(samples(3, cost))->law, Law::parabolic);
  EXPECT_EQ(fit_growth(samples(4, cost))->law, Law::parabolic);
}

TEST(Growth, OneAgeTellsNothing) {
  const std::vector<WalkSample> same(10, WalkSample{3, 1.5});
  EXPECT_FALSE(fit_growth(same));
}

TEST(Growth, WeightsDecideBetweenContradictions) {
  auto mixed = samples(8, [](int i) { return 1 + 0.5 * (i - 1); });
  for (WalkSample& sample : mixed) sample.weight = 1e6;
  for (const WalkSample& other : samples(8, [](int) { return 1.0; })) mixed.push_back(other);
  EXPECT_NEAR(fit_growth(mixed)->cost(8), 4.5, 1e-4);
}

TEST(Growth, NoisySamplesGiveTheSlopeWithinItsError) {
  std::mt19937 generator(7);
  std::normal_distribution<double> noise(0, 0.02);
  int good = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto fit =
        fit_growth(samples(32, [&](int i) { return 1 + 0.02 * (i - 1) + noise(generator); }));
    good += std::abs(fit->cost(32) - 1.62) < 0.04 ? 1 : 0;
  }
  EXPECT_GE(good, 190);
}

/// The number of steps at which the mean cost of a step is least, found by trial.
int best_interval(const std::function<double(int)>& cost, double make) {
  double total = make, best = 0;
  int best_n = 0;
  for (int n = 1; n < 100000; ++n) {
    total += cost(n);
    if (best_n > 0 && total / n >= best) break;
    best = total / n;
    best_n = n;
  }
  return best_n;
}

/// The conditions for the optimum of Miki & Umemura (2017), section 2.6 and appendix C, against
/// trial.
TEST(Growth, OptimumIsWhereTheMeanCostIsLeast) {
  const std::vector<Growth> laws = {
      {.law = Law::linear, .first = 2, .slope = 0.05},
      {.law = Law::linear, .first = 1, .slope = 0.8},
      {.law = Law::power, .first = 2, .ratio = 1.02},
      {.law = Law::power, .first = 0.5, .ratio = 1.3},
      {.law = Law::parabolic, .first = 2, .slope = 0.05, .curvature = 0.01},
      {.law = Law::parabolic, .first = 2, .slope = -0.02, .curvature = 0.01}};
  for (const Growth& law : laws) {
    for (const double make : {0.5, 5.0, 50.0}) {
      int n = 1;
      while (!law.past_optimum(n, make) && n < 100000) ++n;
      const int wanted = best_interval([&](int i) { return law.cost(i); }, make);
      EXPECT_LE(std::abs(n - wanted), 1) << int(law.law) << ", " << make;
    }
  }
}

TEST(Growth, NoOptimumWithoutGrowth) {
  for (const Growth& law :
       {Growth{.law = Law::linear, .first = 1, .slope = 0},
        Growth{.law = Law::linear, .first = 1, .slope = -0.1},
        Growth{.law = Law::power, .first = 1, .ratio = 0.99},
        Growth{.law = Law::power, .first = 1, .ratio = 1},
        Growth{.law = Law::parabolic, .first = 1, .slope = 0, .curvature = -1}}) {
    for (const int n : {1, 10, 1000}) EXPECT_FALSE(law.past_optimum(n, 0.1)) << int(law.law);
  }
}

}  // namespace
}  // namespace gothic
