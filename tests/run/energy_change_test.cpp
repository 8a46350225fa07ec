#include "run/energy_change.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gothic {
namespace {

const std::string accuracy = "a smaller accuracy than 0.5";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CauseOfChange, IsWhatTheWorkOfForceErrorsLeaves) {
  const auto cause = [](double work, double uncertainty) {
    return cause_of(-0.01, {work, uncertainty}, {1, accuracy});
  };
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_TRUE(cause(sign * 0.001, 0.001)
                    .starts_with("the steps are too long, errors of the forces explain at most 30 "
                                 "% of it; use a smaller "
                                 "eta"));
    EXPECT_FALSE(has(cause(sign * 0.001, 0.001), "accuracy"));
  }
  EXPECT_EQ(cause(-0.009, 0.001),
            "the forces are too inexact, their errors explain at least 70 % of it; use a smaller "
            "accuracy than 0.5");
  EXPECT_FALSE(has(cause(0.009, 0.001), "explain at least")) << "they have the other sign";
}

TEST(CauseOfChange, BothRemediesAreGivenWhereItIsUncertainTheLikelierFirst) {
  for (const double work : {0.003, 0.007}) {
    const std::string cause = cause_of(0.01, {work, 0.002}, {1, accuracy});
    const std::size_t steps = cause.find("a smaller eta"),
                      forces = cause.find("a smaller accuracy");
    ASSERT_NE(steps, std::string::npos);
    ASSERT_NE(forces, std::string::npos);
    EXPECT_EQ(steps < forces, work < 0.005);
    EXPECT_TRUE(has(cause, work < 0.005 ? "explain 0 % to 70 %" : "explain 30 % to 100 %"));
  }
}

TEST(CauseOfChange, TooFewSamplesTellNothing) {
  const std::string cause = cause_of(0.01, {0.004, 0.02}, {1, accuracy});
  EXPECT_TRUE(has(cause, "the samples of the forces are too few to tell; use a smaller eta"));
  EXPECT_FALSE(has(cause, "explain"));
}

TEST(CauseOfChange, ShortSofteningIsARemedyOfSteps) {
  const ForceErrors none{0, 1e-6};
  EXPECT_TRUE(has(cause_of(0.01, none, {27, accuracy}), "a longer softening"));
  EXPECT_FALSE(has(cause_of(0.01, none, {3, accuracy}), "softening"));
}

TEST(Advice, NamesWhatErrsMost) {
  ForceErrorRecord small, large;
  small.percentile_99 = 1e-3;
  large.percentile_99 = 1e-2;
  EXPECT_EQ(advice(large, small, {27, accuracy}), "the forces: use a smaller accuracy than 0.5");
  EXPECT_TRUE(advice(small, large, {3, accuracy}).starts_with("the steps: use a smaller eta"));
  const std::string close = advice(small, large, {27, accuracy});
  EXPECT_TRUE(close.starts_with("steps at close neighbours: ")) << close;
  EXPECT_TRUE(has(close, "a longer softening"));
}

TEST(ForceWork, IsTheMeanOfTheSamplesAndItsErrorTheirScatter) {
  ForceWork work;
  EXPECT_TRUE(work.empty());
  ForceErrorRecord one;
  one.acceleration = 2;
  for (const double sample : {1.0, 3.0, 2.0}) {
    one.work = sample;
    one.work_error = 0.5;
    work.add(one);
    EXPECT_DOUBLE_EQ(work.error(), 0.5) << "few samples have no scatter";
  }
  one.work = 6;
  work.add(one);
  EXPECT_DOUBLE_EQ(work.mean(), 3);
  EXPECT_DOUBLE_EQ(work.error(), std::sqrt((4 + 0 + 1 + 9) / 3.0 / 4));
  EXPECT_EQ(work.acceleration(), 2);
}

/// Particles on circles about a fixed centre, whose accelerations turn by omega dt in a step dt.
TEST(StepErrors, AreThoseOfTheTrapezoidalRule) {
  constexpr double omega = 3, interval = 1e-4, step = 0.1;
  ForceSample before, after;
  before.components = after.components = {{0, 2}};
  before.time = 1;
  after.time = before.time + interval;
  for (const double pull : {1.0, 5.0}) {
    SampledForce one;
    one.mass = 1;
    one.exact = {pull, 0, 0};
    before.forces.push_back(one);
    one.exact = {pull * std::cos(omega * interval), pull * std::sin(omega * interval), 0};
    after.forces.push_back(one);
  }
  const auto length = [](const SampledForce& one) { return one.exact[0] > 2 ? 2 * step : step; };
  const ForceErrorRecord errors = step_errors(before, after, length);
  // The mean of an acceleration that turns by x is sin(x / 2) / (x / 2) of its length, and that of
  // its two ends cos(x / 2).
  const auto exact = [](double x) { return 1 - std::cos(x / 2) / (std::sin(x / 2) / (x / 2)); };
  EXPECT_NEAR(errors.median, exact(omega * step), 0.02 * errors.median);
  EXPECT_NEAR(errors.percentile_99, exact(omega * 2 * step), 0.02 * errors.percentile_99);
}

/// A sphere in virial equilibrium with G = M = 1, W = -1/2 and so R = 1, v^2 = 1/2.
TEST(RelaxationTime, IsThatOfTheVirialRadius) {
  Conserved sums;
  sums.mass = 1;
  sums.potential = -0.5;
  sums.kinetic = 0.25;
  EXPECT_NEAR(relaxation_time(sums, 1000, 1, 0.01), 1000 / (8 * std::log(100.0)) * std::sqrt(2.0),
              1e-9);
  sums.potential = 0;
  EXPECT_TRUE(std::isinf(relaxation_time(sums, 1000, 1, 0.01)));
}

}  // namespace
}  // namespace gothic
