#include "simulations.hpp"

namespace gothic::test {
namespace {

class Steps : public SimulationOnDevice {};

bool is_power_of_two(double number) { return std::ldexp(1.0, std::ilogb(number)) == number; }

TEST_P(Steps, AllParticlesAreSynchronisedAtTheEnd) {
  const files::Snapshot start = plummer(2000);
  for (const auto mode : {StepRule::Mode::block, StepRule::Mode::shared}) {
    for (const double end : {0.03, 0.7, 1.0}) {
      const Outcome outcome = run(start, forces(start), steps(start, end, mode));
      EXPECT_NEAR(outcome.time, end, 1e-9);
      EXPECT_TRUE(outcome.synchronised);
      EXPECT_EQ(outcome.steps.back().active, 2000U);
      EXPECT_EQ(outcome.steps.back().time, outcome.time);
    }
  }
}

TEST_P(Steps, DoNotDependOnTheNumberOfThreads) {
  const files::Snapshot start = plummer(6000);
  ForceOptions force = forces(start);
  force.external.potentials[force.external.count++] = {ExternalPotential::Kind::nfw, 1, 1};
  const Outcome one = run(start, force, steps(start, 1), 1);
  const Outcome two = run(start, force, steps(start, 1), 2);
  ASSERT_EQ(one.steps.size(), two.steps.size());
  for (std::size_t k = 0; k < one.steps.size(); ++k) {
    EXPECT_EQ(one.steps[k].time, two.steps[k].time);
    EXPECT_EQ(one.steps[k].active, two.steps[k].active);
    EXPECT_EQ(one.steps[k].rebuilt, two.steps[k].rebuilt);
    EXPECT_EQ(one.steps[k].force.counts.interactions(), two.steps[k].force.counts.interactions());
    EXPECT_EQ(one.steps[k].force.counts.cells_judged, two.steps[k].force.counts.cells_judged);
  }
  EXPECT_EQ(one.end.particles.position, two.end.particles.position);
  EXPECT_EQ(one.end.particles.velocity, two.end.particles.velocity);
  EXPECT_EQ(one.sums.back().total(), two.sums.back().total());
}

TEST_P(Steps, SharedStepsMoveAllParticlesTogether) {
  const files::Snapshot start = plummer(2000);
  const Outcome outcome = run(start, forces(start), steps(start, 1, StepRule::Mode::shared));
  for (const StepRecord& step : outcome.steps) {
    EXPECT_EQ(step.active, 2000U);
    EXPECT_TRUE(is_power_of_two(step.dt)) << step.dt;
    EXPECT_EQ(step.level_min, step.level_max);
  }
}

TEST_P(Steps, FixedStepsAreCountedExactly) {
  const files::Snapshot start = plummer(500);
  for (const double dt : {0.1, 0.3, 0.0078125}) {
    for (const int count : {1, 3, 10}) {
      StepOptions options = steps(start, count * dt, StepRule::Mode::fixed);
      options.fixed_step = dt;
      const Outcome outcome = run(start, forces(start), options);
      ASSERT_EQ(outcome.steps.size(), std::size_t(count));
      EXPECT_DOUBLE_EQ(outcome.time, count * dt);
      for (const StepRecord& step : outcome.steps) {
        EXPECT_EQ(step.active, 500U);
        EXPECT_NEAR(step.dt, dt, 1e-15);
      }
    }
  }
}

TEST_P(Steps, NoneIsLongerThanTheLimit) {
  const files::Snapshot start = plummer(2000);
  for (const double limit : {0.015625, 0.02, 0.1}) {
    StepOptions options = steps(start, 0.5);
    options.longest_step = limit;
    const Outcome outcome = run(start, forces(start), options);
    for (const StepRecord& step : outcome.steps) {
      EXPECT_LE(step.dt, limit);
      EXPECT_LE(std::ldexp(1.0, step.level_max), limit);
    }
    EXPECT_EQ(outcome.time, 0.5);
  }
}

TEST_P(Steps, TreeIsRebuiltAtItsInterval) {
  const files::Snapshot start = plummer(1000);
  for (const int interval : {1, 3, 8}) {
    StepOptions options = steps(start, 2);
    options.rebuild_interval = interval;
    const Outcome outcome = run(start, forces(start), options);
    ASSERT_GT(outcome.steps.size(), 20U);
    for (const StepRecord& step : outcome.steps) {
      EXPECT_EQ(step.rebuilt, step.step > interval && (step.step - 1) % interval == 0)
          << step.step << " of " << interval;
    }
  }
}

TEST_P(Steps, NoOldTreeServesWhereParticlesCrossManyCells) {
  files::Snapshot start = plummer(1 << 18);
  start.softening = 0x1p-12;  // so short that old trees open no cells for it
  for (const double dt : {0.5, 0x1p-14}) {
    StepOptions options = steps(start, 5 * dt, StepRule::Mode::fixed);
    options.fixed_step = dt;
    const Outcome outcome = run(start, forces(start), options);
    EXPECT_EQ(std::ranges::all_of(outcome.steps, &StepRecord::rebuilt), dt == 0.5);
  }
}

TEST_P(Steps, OldTreeStillGivesGoodForces) {
  const files::Snapshot start = plummer(4096);
  std::vector<double> errors[2];
  for (const int old : {0, 1}) {
    StepOptions options = steps(start, 3);
    options.rebuild_interval = old == 0 ? 1 : 1 << 20;
    const Outcome outcome = run(start, forces(start), options);
    EXPECT_EQ(outcome.steps.back().rebuilt, old == 0);
    errors[old] = force_errors(outcome.end, outcome.forces, 4096);
  }
  // Particles of wide groups that are split get forces as exact as when they walk alone.
  EXPECT_LT(quantile(errors[1], 0.99), 3 * quantile(errors[0], 0.99));
  EXPECT_LT(quantile(errors[1], 0.5), 3 * quantile(errors[0], 0.5));
}

TEST_P(Steps, TimeBeginsWithThatOfTheSnapshot) {
  files::Snapshot start = plummer(500);
  const Outcome early = run(start, forces(start), steps(start, 0.5));
  start.time = 3;
  const Outcome late = run(start, forces(start), steps(start, 0.5));
  EXPECT_EQ(late.time, 3.5);
  EXPECT_EQ(late.end.time, 3.5);
  EXPECT_EQ(late.steps.back().time, 3.5);
  EXPECT_EQ(late.steps.size(), early.steps.size());
  EXPECT_EQ(late.end.particles.position, early.end.particles.position);
}

INSTANTIATE_TEST_SUITE_P(Devices, Steps, every_device(),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gothic::test
