#include "paper/force_variant.hpp"
#include "paper/rebuild_rules.hpp"
#include "simulations.hpp"

/// Simulations that go on from a state, and the times to which they go.
namespace gothic::test {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class Restart : public SimulationOnDevice {
 protected:
  /// On the CPU the course of a run is the same to the last bit.
  static bool is_exact() { return std::string(GetParam()) == "cpu"; }

  static void expect_equal(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    if (is_exact()) {
      EXPECT_EQ(a, b);
      return;
    }
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) ASSERT_NEAR(a[i][axis], b[i][axis], 1e-3) << i;
    }
  }

  static void expect_equal(const StepRecord& a, const StepRecord& b) {
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.time, b.time);
    if (!is_exact()) return;
    EXPECT_EQ(a.dt, b.dt);
    EXPECT_EQ(a.active, b.active);
    EXPECT_EQ(a.rebuilt, b.rebuilt);
    EXPECT_EQ(a.level_min, b.level_min);
    EXPECT_EQ(a.level_max, b.level_max);
    EXPECT_EQ(a.force.counts.interactions(), b.force.counts.interactions());
    EXPECT_EQ(a.force.counts.cells_judged, b.force.counts.cells_judged);
    EXPECT_EQ(a.force.group_count, b.force.group_count);
  }

  static void expect_equal(Simulation& a, Simulation& b, const files::Snapshot& start) {
    files::Snapshot one = start, other = start;
    Forces forces_of_one, forces_of_other;
    save(a, one, forces_of_one);
    save(b, other, forces_of_other);
    EXPECT_EQ(one.time, other.time);
    expect_equal(one.particles.position, other.particles.position);
    expect_equal(one.particles.velocity, other.particles.velocity);
    expect_equal(forces_of_one.acceleration, forces_of_other.acceleration);
  }

  /// Advances one simulation by steps, and another from its state in between: they agree.
  void expect_to_go_on(const StepOptions& options, int before, int after) const {
    const files::Snapshot start = plummer(2000);
    const auto whole = make_simulation(device(), start, forces(start), options);
    for (int step = 0; step < before; ++step) whole->step();
    const SimulationState state = whole->state();
    const auto rest = make_simulation(device(), start, forces(start), options, &state);
    EXPECT_EQ(rest->time(), whole->time());
    EXPECT_EQ(rest->synchronised(), whole->synchronised());
    EXPECT_EQ(rest->state().numbers, state.numbers);
    EXPECT_EQ(rest->state().now, state.now);
    EXPECT_EQ(rest->state().end, state.end);
    EXPECT_EQ(rest->state().step, state.step);
    expect_equal(*whole, *rest, start);
    for (int step = 0; step < after && !whole->finished(); ++step) {
      expect_equal(whole->step(), rest->step());
    }
    EXPECT_EQ(rest->finished(), whole->finished());
    expect_equal(*whole, *rest, start);
  }
};

TEST_P(Restart, GoesOnWithEveryKindOfStep) {
  const files::Snapshot start = particles_at_rest(1);
  for (const int before : {0, 1, 40, 64}) {
    expect_to_go_on(steps(start, 1), before, 100);
  }
  expect_to_go_on(steps(start, 0, StepRule::Mode::shared), 9, 20);
  StepOptions fixed = steps(start, 0, StepRule::Mode::fixed);
  fixed.fixed_step = 0.01;
  expect_to_go_on(fixed, 9, 20);
  StepOptions one_tree = steps(start, 0);
  one_tree.rebuild_interval = 7;
  expect_to_go_on(one_tree, 10, 20);
}

/// A state keeps what was learnt from measured times; the further course depends on later times.
TEST_P(Restart, KeepsWhatWasTuned) {
  const files::Snapshot start = plummer(2000);
  StepOptions options = steps(start, 0);
  options.rebuild_policy = rebuild_policy(RebuildRule::seconds);
  ForceOptions force = forces(start);
  force.variation = variation({.tune_extent = true});
  const auto before = make_simulation(device(), start, force, options);
  for (int step = 0; step < 60; ++step) {
    const SimulationState state = before->state();
    const auto after = make_simulation(device(), start, force, options, &state);
    ASSERT_EQ(after->state().numbers, state.numbers) << step;
    before->step();
  }
}

TEST_P(Restart, NumbersThatNoRunHasAreRefused) {
  const files::Snapshot start = plummer(100);
  const SimulationState good =
      make_simulation(device(), start, forces(start), steps(start, 1))->state();
  const auto slots_of = [](auto& state) -> auto& {
    const auto slot = std::ranges::find(state.fields, "Slot", &StoredField::name);
    return std::get<std::vector<std::uint32_t>>(slot->values);
  };
  const auto expect_refused = [&](const SimulationState& state) {
    EXPECT_THROW(make_simulation(device(), start, forces(start), steps(start, 1), &state),
                 StateError);
  };
  SimulationState bad = good;
  bad.numbers.clear();
  expect_refused(bad);
  bad = good;
  bad.numbers.at("tick") = -1;
  expect_refused(bad);
  bad = good;
  bad.numbers.at("rebuild.age") = 1e300;
  expect_refused(bad);
  for (const std::uint32_t place : {slots_of(good)[1], std::uint32_t(good.keys.size())}) {
    bad = good;
    slots_of(bad)[0] = place;
    expect_refused(bad);
  }
}

class StopAt : public Restart {
 protected:
  /// Advances until the time is reached and expects all particles to be there.
  static int advance(Simulation& simulation, double time) {
    int count = 0;
    while (!simulation.finished()) {
      simulation.step();
      ++count;
    }
    EXPECT_EQ(simulation.time(), time);
    EXPECT_TRUE(simulation.synchronised());
    return count;
  }
};

TEST_P(StopAt, MayBeMovedToEarlierAndLaterTimes) {
  const files::Snapshot start = plummer(1000);
  const auto simulation = make_simulation(device(), start, forces(start), steps(start, 1));
  for (int step = 0; step < 3; ++step) simulation->step();
  simulation->stop_at(0.3);
  advance(*simulation, 0.3);
  simulation->stop_at(2);
  simulation->step();
  simulation->stop_at(0.7);
  simulation->stop_at(0.9);
  advance(*simulation, 0.9);
  simulation->stop_at(never);
  while (simulation->time() < 1) simulation->step();
  EXPECT_FALSE(simulation->finished());
}

TEST_P(StopAt, TimesAreExactWhateverTheyAre) {
  const files::Snapshot start = plummer(500);
  for (const auto mode : {StepRule::Mode::block, StepRule::Mode::shared}) {
    const auto simulation = make_simulation(device(), start, forces(start), steps(start, 0, mode));
    for (int i = 1; i <= 10; ++i) {
      simulation->stop_at(i * 0.1);
      EXPECT_GT(advance(*simulation, i * 0.1), 0);
    }
  }
}

TEST_P(StopAt, SurvivesARestart) {
  const files::Snapshot start = plummer(500);
  for (const double target : {0.3, never}) {
    const auto first = make_simulation(device(), start, forces(start), steps(start, 1));
    first->step();
    first->stop_at(target);
    const SimulationState state = first->state();
    const auto rest = make_simulation(device(), start, forces(start), steps(start, 1), &state);
    for (int step = 0; step < 10 && !first->finished(); ++step) {
      expect_equal(first->step(), rest->step());
    }
    EXPECT_EQ(rest->finished(), first->finished());
    expect_equal(*first, *rest, start);
  }
}

TEST_P(StopAt, TooFarIsRefused) {
  const files::Snapshot start = plummer(500);
  const auto simulation = make_simulation(device(), start, forces(start), steps(start, 1));
  EXPECT_THROW(simulation->stop_at(1e12), SettingError);
  EXPECT_THROW(make_simulation(device(), start, forces(start), steps(start, 1e12)), SettingError);
}

TEST_P(StopAt, FractionsOfAFixedStepAreRefused) {
  const files::Snapshot start = plummer(500);
  StepOptions options = steps(start, 0, StepRule::Mode::fixed);
  options.fixed_step = 0.1;
  const auto simulation = make_simulation(device(), start, forces(start), options);
  EXPECT_THROW(simulation->stop_at(0.25), SettingError);
  simulation->stop_at(0.3);
  EXPECT_EQ(advance(*simulation, 0.3), 3);
  options.end_time = 0.25;
  EXPECT_THROW(make_simulation(device(), start, forces(start), options), SettingError);
}

const auto name_of = [](const auto& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(Devices, Restart, every_device(), name_of);
INSTANTIATE_TEST_SUITE_P(Devices, StopAt, every_device(), name_of);

}  // namespace
}  // namespace gothic::test
