#include "core/observers/force_errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/messages/one_rank.hpp"
#include "core/observers/error_sample.hpp"
#include "core/observers/error_schedule.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

namespace gothic {
namespace {

using namespace test;

/// A particle with the acceleration (1, 0, 0), found too large by `error`, that moves along it.
SampledForce off_by(double error, std::int32_t component = 0, double speed = 1, double mass = 2) {
  return {.component = component,
          .mass = mass,
          .velocity = {speed, 0, 0},
          .found = {1 + error, 0, 0},
          .exact = {1, 0, 0}};
}

TEST(ForceErrors, AreQuantilesOfTheSample) {
  ForceSample sample{.step = 7, .time = 2.5, .components = {{0, 200}}};
  for (int i = 200; i > 0; --i) sample.forces.push_back(off_by(i * 1e-5));
  sample.acceptance.accuracy = 0.25F;
  sample.acceptance.order = Order::octupole;
  const auto records = force_errors(sample);
  ASSERT_EQ(records.size(), 1U);
  const ForceErrorRecord& all = records.front();
  EXPECT_EQ(all.step, 7);
  EXPECT_EQ(all.time, 2.5);
  EXPECT_EQ(all.component, ForceErrorRecord::all);
  EXPECT_EQ(all.particles, 200U);
  EXPECT_EQ(all.sampled, 200U);
  EXPECT_NEAR(all.median, 100e-5, 1e-12);
  EXPECT_NEAR(all.percentile_99, 198e-5, 1e-12);
  EXPECT_NEAR(all.largest, 200e-5, 1e-12);
  EXPECT_EQ(all.accuracy, 0.25F);
  EXPECT_EQ(all.order, Order::octupole);
}

TEST(ForceErrors, CountComponentsByTheirParticlesNotByTheirSamples) {
  ForceSample sample{.components = {{0, 9800}, {3, 200}}};
  for (int i = 0; i < 50; ++i) {
    sample.forces.push_back(off_by(1e-4, 0));
    sample.forces.push_back(off_by(i < 25 ? 1e-4 : 1e-2, 3));
  }
  const auto records = force_errors(sample);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].particles, 10000U);
  EXPECT_EQ(records[2].component, 3);
  EXPECT_NEAR(records[0].percentile_99, 1e-4, 1e-12) << "1 % of all particles have large errors";
  EXPECT_NEAR(records[2].percentile_99, 1e-2, 1e-12);
  EXPECT_NEAR(records[0].largest, 1e-2, 1e-12);
  sample.components[1].particles = 202;
  EXPECT_NEAR(force_errors(sample)[0].percentile_99, 1e-2, 1e-12) << "a little more than 1 %";
}

TEST(ForceErrors, HavePowerWhereTheyPointAlongTheVelocities) {
  ForceSample sample{.components = {{0, 1000}}};
  for (int i = 0; i < 100; ++i) sample.forces.push_back(off_by(1e-3, 0, 3));
  const ForceErrorRecord along = force_errors(sample).front();
  EXPECT_NEAR(along.power, 1e-3, 1e-12);
  EXPECT_NEAR(along.work, 1000 * 2 * 1e-3 * 3, 1e-9);
  for (int i = 0; i < 50; ++i) sample.forces[std::size_t(i)].velocity = {-3, 0, 0};
  const ForceErrorRecord both = force_errors(sample).front();
  EXPECT_NEAR(both.power, 0, 1e-12);
  EXPECT_NEAR(both.work, 0, 1e-9);
  // 100 independent values of 6e-3 with either sign, each of which stands for 10.
  EXPECT_NEAR(both.work_error, std::sqrt(100.0) * 10 * 6e-3, 1e-9);
  EXPECT_NEAR(both.power_error / both.work_error, along.power / along.work, 1e-9);
  double square = 0;
  for (const SampledForce& one : sample.forces) square += one.exact[0] * one.exact[0];
  EXPECT_NEAR(both.acceleration, std::sqrt(square / 100), 1e-12);
}

TEST(ForceErrors, AreNoneWhereNothingPulls) {
  ForceSample sample{.components = {{0, 1}}, .forces = {{}}};
  EXPECT_EQ(force_errors(sample).front().percentile_99, 0);
  EXPECT_EQ(force_errors(sample).front().power, 0);
  sample.forces.front().found = {1e-3, 0, 0};
  EXPECT_TRUE(std::isinf(force_errors(sample).front().largest));
  EXPECT_EQ(force_errors({}).front().percentile_99, 0);
}

/// Particles with the IDs 3, 6, 9, ... of which every 50th is in a small component.
struct TwoComponents {
  std::vector<std::uint64_t> ids;
  std::vector<std::int32_t> components;

  explicit TwoComponents(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      ids.push_back(3 * (i + 1));
      components.push_back(i % 50 == 0 ? 4 : 1);
    }
  }
};

TEST(ErrorSample, HasManyParticlesOfSmallComponents) {
  const TwoComponents all(100000);
  const ErrorSample sample = error_sample(one_rank(), all.ids, all.components, 0, 1000);
  ASSERT_EQ(sample.components.size(), 2U);
  EXPECT_EQ(sample.components[1].number, 4);
  EXPECT_EQ(sample.components[1].particles, 2000U);
  EXPECT_EQ(sample.particles(), 100000U);
  std::map<std::int32_t, int> members;
  for (const auto& member : sample.members) {
    ++members[member.component];
    EXPECT_EQ(member.component, all.components[member.slot]);
  }
  EXPECT_NEAR(members[4], 260, 4 * std::sqrt(260.0));
  EXPECT_NEAR(members[1], 740, 4 * std::sqrt(740.0));
  EXPECT_TRUE(std::ranges::is_sorted(sample.members, {}, &ErrorSample::Member::slot));
}

TEST(ErrorSample, IsAFairSampleOfAComponent) {
  const TwoComponents all(100000);
  const ErrorSample sample = error_sample(one_rank(), all.ids, all.components, 0, 4000);
  double mean = 0;
  for (const auto& member : sample.members) mean += member.slot / double(sample.members.size());
  EXPECT_NEAR(mean, 50000, 4 * 100000 / std::sqrt(12.0 * 4000));
}

TEST(ErrorSample, HasAllOfFewParticles) {
  const TwoComponents few(100);
  EXPECT_EQ(error_sample(one_rank(), few.ids, few.components, 0, 100).members.size(), 100U);
  EXPECT_EQ(error_sample(one_rank(), {}, {}, 0, 100).members.size(), 0U);
}

TEST(ErrorSample, IsTheSameWhateverTheRanks) {
  const TwoComponents all(20000);
  const ErrorSample one = error_sample(one_rank(), all.ids, all.components, 0, 500);
  on_ranks(3, [&](Communicator& ranks) {
    const std::size_t first = 20000 * std::size_t(ranks.rank()) / 3,
                      end = 20000 * std::size_t(ranks.rank() + 1) / 3;
    const auto part = [&](const auto& values) {
      return std::span(values).subspan(first, end - first);
    };
    const ErrorSample own = error_sample(ranks, part(all.ids), part(all.components), first, 500);
    ASSERT_EQ(own.members.size(), one.members.size());
    for (std::size_t k = 0; k < own.members.size(); ++k) {
      EXPECT_EQ(own.members[k].slot, one.members[k].slot);
      EXPECT_EQ(own.members[k].component, one.members[k].component);
    }
    EXPECT_EQ(own.particles(), 20000U);
  });
}

TEST(ErrorSchedule, CountsStepsOrPairs) {
  ErrorSchedule by_steps(10, false), by_pairs(0, false), early(0, true);
  std::vector<int> of_steps, of_pairs, of_early;
  for (int step = 1; step <= 1000; ++step) {
    if (by_steps.due(step, 1, 1)) of_steps.push_back(step);
    if (by_pairs.due(step, 1, 4)) of_pairs.push_back(step);
    if (early.due(step, 1, 4)) of_early.push_back(step);
  }
  EXPECT_EQ(of_steps.size(), 100U);
  EXPECT_EQ(of_steps.front(), 10);
  EXPECT_EQ(of_pairs, (std::vector<int>{400, 800})) << "samples take 1 % of the pairs";
  EXPECT_EQ(of_early, (std::vector<int>{16, 400, 800}));
}

TEST(ErrorSchedule, GoesOnAfterARestart) {
  ErrorSchedule whole(0, false), first(0, false), second(0, false);
  for (int step = 1; step <= 150; ++step) {
    whole.due(step, 1, 2);
    first.due(step, 1, 2);
  }
  NamedState stored;
  stored("errors", first);
  NamedState state(stored.numbers());
  state("errors", second);
  for (int step = 151; step <= 600; ++step) {
    EXPECT_EQ(whole.due(step, 1, 2), second.due(step, 1, 2)) << step;
  }
}

}  // namespace
}  // namespace gothic
