#include "run/recent_speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace gothic {
namespace {

/// Steps as in M31: few particles have short steps, and the rare long steps do most of the work.
StepLevels galaxy() {
  StepLevels levels;
  std::uint32_t particles = 1000;
  for (double step = 1; step <= 64; step *= 2, particles *= 3) levels.push_back({step, particles});
  return levels;
}

/// Particles that are active in the step to a time.
double active_at(const StepLevels& levels, std::int64_t time) {
  double active = 0;
  for (const StepLevel& level : levels) {
    if (time % std::llround(level.step) == 0) active += level.particles;
  }
  return active;
}

TEST(WorkPeriod, IsTheStepBelowWhichMostForcesAre) {
  EXPECT_EQ(work_period({}), 0);
  EXPECT_EQ(work_period({{0.25, 7}}), 0.25);
  EXPECT_EQ(work_period({{1, 100}, {2, 1}}), 1);      // 100 against 0.5
  EXPECT_EQ(work_period({{1, 100}, {2, 100}}), 2);    // 100 against 50
  EXPECT_EQ(work_period({{1, 9}, {1024, 1024}}), 1);  // 9 against 1
  EXPECT_EQ(work_period(galaxy()), 64);
}

TEST(RecentSpeed, KnowsNothingBeforeTheFirstStep) {
  const RecentSpeed speed({10, 1, 5, 0});
  EXPECT_TRUE(std::isnan(speed.window().steps_per_second()));
  EXPECT_TRUE(std::isnan(speed.window().interactions_per_second()));
  EXPECT_TRUE(std::isnan(speed.window().time_per_step()));
  EXPECT_TRUE(std::isnan(speed.seconds_to_time(2)));
  EXPECT_TRUE(std::isnan(speed.seconds_to_step(7)));
}

TEST(RecentSpeed, IsThatOfEqualSteps) {
  RecentSpeed speed({100, 3, 0, 0});
  for (int step = 1; step <= 1000; ++step) {
    speed.add({100 + 0.25 * step, 3 + 0.5 * step, step, std::uint64_t(step) * 1000}, 0.5);
    ASSERT_NEAR(speed.window().steps_per_second(), 4, 1e-9);
    ASSERT_NEAR(speed.window().interactions_per_second(), 4000, 1e-6);
    ASSERT_NEAR(speed.window().time_per_step(), 0.5, 1e-12);
    ASSERT_NEAR(speed.seconds_to_time(503), (1000 - step) * 0.25, 1e-6);
    ASSERT_NEAR(speed.seconds_to_step(2000), (2000 - step) * 0.25, 1e-6);
  }
  EXPECT_EQ(speed.seconds_to_time(503), 0);
  EXPECT_EQ(speed.seconds_to_time(400), 0);
  EXPECT_EQ(speed.seconds_to_step(900), 0);
}

TEST(RecentSpeed, FollowsARunThatBecomesSlower) {
  RecentSpeed speed({0, 0, 0, 0});
  double wall = 0;
  for (int step = 1; step <= 200; ++step) {
    wall += step <= 100 ? 1 : 4;
    speed.add({wall, double(step), step, 0}, 1);
  }
  EXPECT_NEAR(speed.window().steps_per_second(), 0.25, 1e-12);
}

TEST(RecentSpeed, NeverAdvancesWhereTheTimeStands) {
  RecentSpeed speed({0, 1e17, 0, 0});
  for (int step = 1; step <= 100; ++step) speed.add({0.5 * step, 1e17, step, 0}, 1e-3);
  EXPECT_EQ(speed.window().time_per_step(), 0);
  EXPECT_EQ(speed.window().step, 100);
  EXPECT_TRUE(std::isnan(speed.seconds_to_time(2e17)));
}

class SpeedOfBlockSteps : public ::testing::TestWithParam<double> {};

/// The longest step may take a hundredth of a second or an hour. From its end on, the remaining
/// time is known to a few per cent, though single steps differ by a factor of a hundred.
TEST_P(SpeedOfBlockSteps, TellsTheEndFromOneLongestStepOn) {
  const StepLevels levels = galaxy();
  const double period = work_period(levels);
  constexpr std::int64_t end = 64 * 400;
  std::vector<double> wall(end + 1, 0);
  double shortest = 1e30, longest = 0;
  for (std::int64_t now = 1; now <= end; ++now) {
    const double seconds = GetParam() * (active_at(levels, now) + 2000);
    shortest = std::min(shortest, seconds);
    longest = std::max(longest, seconds);
    wall[std::size_t(now)] = wall[std::size_t(now) - 1] + seconds;
  }
  ASSERT_GT(longest, 100 * shortest);
  RecentSpeed speed({0, 0, 0, 0});
  for (std::int64_t now = 1; now < end - 64; ++now) {
    speed.add({wall[std::size_t(now)], double(now), now, 0}, period);
    const double remaining = wall.back() - wall[std::size_t(now)];
    const double expected = speed.seconds_to_time(double(end));
    if (now < 64) {
      ASSERT_TRUE(std::isnan(expected));
    } else if (wall[std::size_t(now)] > 1) {
      ASSERT_NEAR(expected, remaining, 0.06 * remaining + 2 * longest) << now;
      ASSERT_NEAR(speed.seconds_to_step(end), remaining, 0.06 * remaining + 2 * longest) << now;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SecondsPerParticle, SpeedOfBlockSteps,
                         ::testing::Values(1e-8, 1e-6, 1e-5, 1e-4, 1e-3));

}  // namespace
}  // namespace gothic
