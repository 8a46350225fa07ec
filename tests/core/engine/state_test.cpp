#include <numbers>
#include <numeric>

#include "simulations.hpp"

/// The state that a simulation takes over and gives back.
namespace gothic::test {
namespace {

class State : public SimulationOnDevice {};

TEST_P(State, IsUnchangedBeforeTheFirstStep) {
  const files::Snapshot start = plummer(3000);
  const auto simulation = make_simulation(device(), start, forces(start, 0x1p-9F), steps(start, 1));
  EXPECT_TRUE(simulation->synchronised());
  EXPECT_FALSE(simulation->finished());
  files::Snapshot saved = start;
  Forces found;
  save(*simulation, saved, found);
  EXPECT_EQ(saved.particles.position, start.particles.position);
  EXPECT_EQ(saved.particles.velocity, start.particles.velocity);
  EXPECT_LT(quantile(force_errors(start, found, 3000), 0.99), 0.01);
}

TEST_P(State, IsSavedInTheOrderOfTheInput) {
  const files::Snapshot start = plummer(3000);
  StepOptions options = steps(start, 0.125);
  options.rebuild_interval = 1;
  const Outcome outcome = run(start, forces(start), options);
  EXPECT_EQ(outcome.end.particles.id, start.particles.id);
  EXPECT_EQ(outcome.end.particles.mass, start.particles.mass);
  EXPECT_EQ(outcome.end.particles.type, start.particles.type);
  EXPECT_EQ(outcome.end.particles.component, start.particles.component);
  for (std::size_t i = 0; i < 3000; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const float straight =
          start.particles.position[i][axis] + 0.125F * start.particles.velocity[i][axis];
      ASSERT_NEAR(outcome.end.particles.position[i][axis], straight, 0.02);
    }
  }
  EXPECT_LT(quantile(force_errors(outcome.end, outcome.forces, 3000), 0.99), 0.02);
}

/// A body between others that move fast, itself slow and far away: it has a longer step.
TEST_P(State, IsPredictedToThePresentTime) {
  files::Snapshot start = particles_at_rest(3);
  Particles& p = start.particles;
  p.position = {{0.25F, 0, 0}, {-0.25F, 0, 0}, {16, 2, 1}};
  p.velocity = {{0, 0.75F, 0}, {0, -0.75F, 0}, {0.5F, 0.25F, 0}};
  const auto simulation = make_simulation(device(), start, forces(start, 1e-7F), steps(start, 8));
  files::Snapshot first = start, now = start;
  Forces before, after;
  save(*simulation, first, before);
  const StepRecord step = simulation->step();
  ASSERT_EQ(step.active, 2U);
  EXPECT_FALSE(simulation->synchronised());
  save(*simulation, now, after);
  EXPECT_EQ(now.time, step.dt);
  const double dt = step.dt;
  for (int axis = 0; axis < 3; ++axis) {
    const double r = p.position[2][axis], v = p.velocity[2][axis], a = before.acceleration[2][axis];
    EXPECT_NEAR(now.particles.position[2][axis], r + v * dt + a * dt * dt / 2, 2e-6);
    EXPECT_NEAR(now.particles.velocity[2][axis], v + a * dt, 1e-7);
    EXPECT_EQ(after.acceleration[2][axis], before.acceleration[2][axis]);
  }
  EXPECT_NE(after.acceleration[0], before.acceleration[0]);
}

TEST_P(State, IsNotDisturbedBySaving) {
  const files::Snapshot start = plummer(1000);
  const Outcome outcome = run(start, forces(start), steps(start, 0.5));
  const auto simulation = make_simulation(device(), start, forces(start), steps(start, 0.5));
  files::Snapshot saved = start;
  Forces found;
  while (!simulation->finished()) {
    simulation->step();
    save(*simulation, saved, found);
  }
  EXPECT_EQ(saved.particles.position, outcome.end.particles.position);
  EXPECT_EQ(saved.particles.velocity, outcome.end.particles.velocity);
}

TEST_P(State, SingleParticleMovesStraight) {
  files::Snapshot start = particles_at_rest(1);
  start.particles.velocity[0] = {1, -2, 0.5F};
  for (const auto mode : {StepRule::Mode::block, StepRule::Mode::shared}) {
    const Outcome outcome = run(start, forces(start), steps(start, 3, mode));
    EXPECT_EQ(outcome.end.particles.position[0], (Vec3{3, -6, 1.5F}));
    EXPECT_EQ(outcome.end.particles.velocity[0], start.particles.velocity[0]);
    EXPECT_EQ(outcome.forces.acceleration[0], (Vec3{0, 0, 0}));
    EXPECT_DOUBLE_EQ(outcome.sums.back().kinetic, 0.5 * 5.25);
  }
}

TEST_P(State, TwoBodiesCircleEachOther) {
  files::Snapshot start = particles_at_rest(2);
  const double softening = start.softening;
  const double rate = std::pow(1 + softening * softening, -0.75);
  start.particles.position = {{0.5F, 0, 0}, {-0.5F, 0, 0}};
  start.particles.velocity = {{0, float(0.5 * rate), 0}, {0, float(-0.5 * rate), 0}};
  StepOptions options = steps(start, 2 * std::numbers::pi / rate);
  options.longest_step = 0x1p-7;
  const Outcome outcome = run(start, forces(start, 1e-7F), options);
  EXPECT_LT(outcome.energy_error(), 1e-5);
  for (int body = 0; body < 2; ++body) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(outcome.end.particles.position[body][axis], start.particles.position[body][axis],
                  1e-3);
    }
  }
}

/// Kiloparsec, 1e10 solar masses, km/s: all speeds are larger by sqrt(G).
TEST_P(State, UnitsScaleForcesAndEnergies) {
  const files::Snapshot model = plummer(2000);
  files::Snapshot physical = model;
  physical.units = {files::kiloparsec, 1e10 * files::solar_mass, 1e5};
  const double gravity = physical.units.gravitational_constant();
  EXPECT_NEAR(gravity, 43007.1, 0.1);
  for (Vec3& v : physical.particles.velocity) {
    for (float& axis : v) axis *= float(std::sqrt(gravity));
  }
  const Outcome in_model = run(model, forces(model), steps(model, 1));
  const Outcome in_units = run(physical, forces(physical), steps(physical, 1 / std::sqrt(gravity)));
  EXPECT_NEAR(in_units.sums.front().total() / in_model.sums.front().total(), gravity,
              1e-3 * gravity);
  EXPECT_NEAR(in_units.sums.back().kinetic / in_model.sums.back().kinetic, gravity, 1e-2 * gravity);
  EXPECT_NEAR(lagrangian_radius(in_units.end, 0.5) / lagrangian_radius(in_model.end, 0.5), 1, 0.01);
  EXPECT_LT(quantile(force_errors(in_units.end, in_units.forces, 2000), 0.99), 0.02);
}

INSTANTIATE_TEST_SUITE_P(Devices, State, every_device(),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gothic::test
