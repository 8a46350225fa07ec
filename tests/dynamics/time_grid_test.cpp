#include "dynamics/time_grid.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <vector>

namespace gothic {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_power_of_two(std::int64_t ticks) {
  return ticks > 0 && std::has_single_bit(std::uint64_t(ticks));
}

/// Wanted steps and present times of all magnitudes.
template <class Check>
void for_random_steps(const TimeGrid& grid, Check check) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-3, TimeGrid::levels + 3.0);
  for (int i = 0; i < 100000; ++i) {
    const double step = grid.tick * std::exp2(exponent(random));
    const auto now = std::int64_t(random() >> (2 + random() % 60)) << (random() % 40);
    check(step, now & ((std::int64_t(1) << 61) - 1));
  }
}

TEST(TimeGrid, AdaptiveTicksDivideTheLongestStep) {
  for (const double longest : {1.0, 1.5, 1.999, 2.0, 3e-5, 7e12, 1e30}) {
    const TimeGrid grid = TimeGrid::adaptive(longest);
    const double step = grid.time(grid.largest);
    EXPECT_TRUE(is_power_of_two(grid.largest));
    EXPECT_LE(step, longest);
    EXPECT_GT(2 * step, longest);
    EXPECT_EQ(std::ldexp(1.0, std::ilogb(step)), step);
  }
}

TEST(TimeGrid, FixedTickIsTheStep) {
  const TimeGrid grid = TimeGrid::fixed(0.3);
  EXPECT_EQ(grid.time(grid.largest), 0.3);
  EXPECT_EQ(grid.time(7), 7 * 0.3);
}

TEST(TimeGrid, StepsArePowersOfTwoWithinTheGrid) {
  const TimeGrid grid = TimeGrid::adaptive(0.3);
  for_random_steps(grid, [&](double step, std::int64_t now) {
    const std::int64_t ticks = grid.fit(step, now);
    ASSERT_TRUE(is_power_of_two(ticks)) << step << " at " << now;
    ASSERT_LE(ticks, grid.largest);
  });
}

TEST(TimeGrid, StepIsNeverLongerThanWanted) {
  const TimeGrid grid = TimeGrid::adaptive(0.3);
  for_random_steps(grid, [&](double step, std::int64_t now) {
    const std::int64_t ticks = grid.fit(step, now);
    ASSERT_TRUE(ticks == 1 || grid.time(ticks) <= step) << step << " at " << now;
  });
}

TEST(TimeGrid, StepStartsOnlyWhereItsGridIsSynchronised) {
  const TimeGrid grid = TimeGrid::adaptive(0.3);
  for_random_steps(grid, [&](double step, std::int64_t now) {
    ASSERT_EQ(now % grid.fit(step, now), 0) << step << " at " << now;
  });
}

TEST(TimeGrid, StepIsTheLongestThatMayBe) {
  const TimeGrid grid = TimeGrid::adaptive(0.3);
  for_random_steps(grid, [&](double step, std::int64_t now) {
    const std::int64_t longer = 2 * grid.fit(step, now);
    ASSERT_TRUE(longer > grid.largest || grid.time(longer) > step || now % longer != 0)
        << step << " at " << now;
  });
}

TEST(TimeGrid, StepIsNeverZeroAndNeverBeyondTheLargest) {
  const TimeGrid grid = TimeGrid::adaptive(4);
  for (const double step : {0.0, 1e-300, grid.tick / 2, grid.tick}) EXPECT_EQ(grid.fit(step, 0), 1);
  for (const double step : {4.0, 5.0, 1e300, infinity}) EXPECT_EQ(grid.fit(step, 0), grid.largest);
}

TEST(TimeGrid, PowersOfTwoAreTakenAsTheyAre) {
  const TimeGrid grid = TimeGrid::adaptive(8);
  for (std::int64_t ticks = 1; ticks <= grid.largest; ticks *= 2) {
    const double step = grid.time(ticks);
    EXPECT_EQ(grid.fit(step, 0), ticks);
    EXPECT_EQ(grid.fit(1.99 * step, 0), ticks);
    EXPECT_EQ(grid.fit(std::nextafter(step, 0), 0), std::max<std::int64_t>(1, ticks / 2));
  }
}

TEST(TimeGrid, NoStepGoesBeyondTheEnd) {
  TimeGrid grid = TimeGrid::adaptive(1);
  grid.end = 1000;
  EXPECT_EQ(grid.due(500, 256), 756);
  EXPECT_EQ(grid.due(500, 500), 1000);
  EXPECT_EQ(grid.due(500, 512), 1000);
  EXPECT_EQ(grid.due(999, grid.largest), 1000);
}

TEST(TimeGrid, TimesAreExactAfterManySteps) {
  const TimeGrid grid = TimeGrid::adaptive(0.3);
  std::mt19937_64 random(5);
  std::int64_t now = 0;
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::int64_t ticks = grid.fit(std::ldexp(1.0, -int(random() % 12) - 2), now);
    now += ticks;
    sum += grid.time(ticks);
    ASSERT_EQ(sum, grid.time(now));
  }
}

/// Particles that change their wishes at every step.
TEST(TimeGrid, AllParticlesMeetAtEveryMultipleOfTheLargestStep) {
  const TimeGrid grid = TimeGrid::adaptive(1);
  std::mt19937_64 random(9);
  for (int particle = 0; particle < 200; ++particle) {
    std::int64_t now = 0;
    for (std::int64_t meeting = 1; meeting <= 4; ++meeting) {
      while (now < meeting * grid.largest) {
        now = grid.due(now, grid.fit(std::ldexp(1.5, -int(random() % 9)), now));
      }
      ASSERT_EQ(now, meeting * grid.largest);
    }
  }
}

TEST(TimeStep, FollowsSofteningAndAcceleration) {
  for (const double a : {1e-6, 0.3, 1.0, 20.0, 1e7}) {
    for (const double eta : {0.125, 0.5}) {
      for (const double softening : {1e-3, 0.5}) {
        const double wanted = eta * std::sqrt(softening / a);
        EXPECT_NEAR(time_step(float(a * a), eta, softening), wanted, 1e-6 * wanted);
      }
    }
  }
  EXPECT_EQ(time_step(0, 0.5, 0.01), infinity);
}

}  // namespace
}  // namespace gothic
