#include "run/output_schedule.hpp"

#include <gtest/gtest.h>

namespace gothic {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

/// The times of a plan from its start to its end, or the first `most` of them.
std::vector<double> times(const OutputSchedule& plan, double start, std::size_t most = 10000) {
  std::vector<double> result;
  for (double time = start; time < plan.end() && result.size() < most;) {
    time = plan.next(time);
    if (time < none) result.push_back(time);
  }
  return result;
}

TEST(OutputSchedule, WithoutOutputsHasTheEndOnly) {
  EXPECT_EQ(times(OutputSchedule(1, 3, {}), 1), std::vector<double>{3});
  EXPECT_EQ(times(OutputSchedule(1, none, {}), 1), std::vector<double>{});
}

/// 0.1 is no binary fraction: sums of it would drift.
TEST(OutputSchedule, IntervalsDoNotAccumulate) {
  const std::vector<double> found =
      times(OutputSchedule(0, 1000, {.interval = 0.1, .times = {}}), 0);
  ASSERT_EQ(found.size(), 10000U);
  for (std::size_t i = 0; i + 1 < found.size(); ++i) ASSERT_EQ(found[i], double(i + 1) * 0.1);
  EXPECT_EQ(found.back(), 1000);
}

TEST(OutputSchedule, IntervalsCountFromTheStart) {
  EXPECT_EQ(times(OutputSchedule(7, 7.5, {.interval = 0.2, .times = {}}), 7),
            (std::vector<double>{7 + 0.2, 7 + 0.4, 7.5}));
  EXPECT_EQ(times(OutputSchedule(-1, none, {.interval = 0.5, .times = {}}), -1, 3),
            (std::vector<double>{-0.5, 0, 0.5}));
}

/// The next time is the same from any time in between, so that parts of a run have the times of the
/// whole run.
TEST(OutputSchedule, DoesNotDependOnWhereARunGoesOn) {
  const OutputSchedule plan(0.3, 50, {.interval = 0.07, .times = {}});
  double before = 0.3;
  for (const double time : times(plan, 0.3)) {
    EXPECT_EQ(plan.next(0.5 * (before + time)), time);
    EXPECT_EQ(plan.next(std::nextafter(time, 0)), time);
    before = time;
  }
}

TEST(OutputSchedule, OutputAtTheEndIsOnlyOne) {
  EXPECT_EQ(times(OutputSchedule(0, 0.3, {.interval = 0.1, .times = {}}), 0),
            (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(times(OutputSchedule(0, 0.7, {.interval = 0.1, .times = {}}), 0).size(), 7U);
  EXPECT_EQ(times(OutputSchedule(0, 3, {.interval = 0, .times = {1, 3}}), 0),
            (std::vector<double>{1, 3}));
}

TEST(OutputSchedule, ListedTimesComeInTheirOrder) {
  const OutputSchedule plan(0, 10, {.interval = 0, .times = {0, 0.1234, 5}});
  EXPECT_EQ(times(plan, 0), (std::vector<double>{0.1234, 5, 10}));
  EXPECT_EQ(plan.next(2), 5);
  EXPECT_EQ(plan.next(10), none);
  EXPECT_EQ(times(OutputSchedule(0, none, {.interval = 0, .times = {1, 2}}), 0),
            (std::vector<double>{1, 2}));
}

TEST(OutputSchedule, IntervalsBelowTheResolutionOfTimesStillAdvance) {
  const OutputSchedule plan(1e6, 2e6, {.interval = 1e-12, .times = {}});
  EXPECT_GT(plan.next(1.5e6), 1.5e6);
  EXPECT_LT(plan.next(1.5e6), 1.5e6 + 1e-6);
}

}  // namespace
}  // namespace gothic
