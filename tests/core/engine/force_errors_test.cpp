#include "core/observers/force_errors.hpp"

#include <functional>
#include <random>

#include "core/device/cpu/device.hpp"
#include "core/engine/simulation_on.hpp"
#include "simulations.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

/// The errors of the forces that simulations and forces tell, and those that they keep to.
namespace gothic::test {
namespace {

/// Two Plummer spheres of different sizes, as components, that approach each other.
files::Snapshot merger(std::size_t count) {
  files::Snapshot both = plummer(count);
  Particles& p = both.particles;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_small = i % 8 == 0;
    const float size = is_small ? 0.25F : 1;
    for (std::size_t axis = 0; axis < 3; ++axis) p.position[i][axis] *= size;
    p.position[i][0] += is_small ? 6 : -0.5F;
    p.velocity[i][0] += is_small ? -0.5F : 0.1F;
    p.component[i] = is_small ? 1 : 0;
  }
  return both;
}

/// A thin disc of constant density, at rest.
files::Snapshot cold_disc(std::size_t count) {
  files::Snapshot disc = particles_at_rest(count);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (Vec3& r : disc.particles.position) {
    const float radius = std::sqrt(uniform(random)), angle = 6.2831853F * uniform(random);
    r = {radius * std::cos(angle), radius * std::sin(angle), 0.001F * uniform(random)};
  }
  return disc;
}

class ForceError : public SimulationOnDevice {
 protected:
  ForceOptions asking_for(const files::Snapshot& snapshot, double error) const {
    ForceOptions options = forces(snapshot);
    options.acceptance.order = Order::automatic;
    options.error = error;
    return options;
  }

  /// 99 % error of forces, found without the code that is tested.
  double error_of(const files::Snapshot& snapshot, const Forces& found) const {
    return quantile(force_errors(snapshot, found, snapshot.particles.size()), 0.99);
  }
};

TEST_P(ForceError, IsTheErrorOfAllParticles) {
  const files::Snapshot start = plummer(20000);
  const auto simulation = make_simulation(device(), start, forces(start), steps(start, 1));
  const auto records = gothic::force_errors(simulation->force_sample());
  ASSERT_EQ(records.size(), 1U);
  files::Snapshot saved = start;
  Forces found;
  save(*simulation, saved, found);
  const auto errors = force_errors(start, found, 20000);
  EXPECT_NEAR(records[0].median / quantile(errors, 0.5), 1, 0.12);
  EXPECT_NEAR(records[0].percentile_99 / quantile(errors, 0.99), 1, 0.25);
  EXPECT_EQ(records[0].particles, 20000U);
  EXPECT_NEAR(double(records[0].sampled), 1024, 150);
}

/// Between synchronised times, where only some particles have new forces, a sample walks on its
/// own.
TEST_P(ForceError, IsKnownWhileParticlesAreAtDifferentTimes) {
  const files::Snapshot start = plummer(4000);
  StepOptions options = steps(start, 1);
  options.rebuild_interval = 8;
  const auto simulation = make_simulation(device(), start, forces(start, 0x1p-9F), options);
  const double first = gothic::force_errors(simulation->force_sample()).front().percentile_99;
  for (int step = 0; step < 13; ++step) simulation->step();
  ASSERT_FALSE(simulation->synchronised());
  const auto all = gothic::force_errors(simulation->force_sample()).front();
  EXPECT_EQ(all.step, 13);
  EXPECT_EQ(all.time, simulation->time());
  EXPECT_GT(all.percentile_99, 0.5 * first);
  EXPECT_LT(all.percentile_99, 2.5 * first);
  EXPECT_GT(all.seconds, 0);
}

TEST_P(ForceError, IsTheOneThatWasAskedFor) {
  const std::map<std::string, std::function<files::Snapshot()>> systems = {
      {"sphere", [] { return plummer(16000); }},
      {"merger", [] { return merger(16000); }},
      {"cold disc", [] { return cold_disc(16000); }}};
  for (const auto& [name, make] : systems) {
    SCOPED_TRACE(name);
    const files::Snapshot start = make();
    for (const double error : {3e-3, 3e-4, 3e-5}) {
      const TreeForces found =
          make_engine(device())->forces(start.particles, start.time, asking_for(start, error));
      const double ratio = error_of(start, found.forces) / error;
      EXPECT_GT(ratio, 0.7) << error;
      EXPECT_LT(ratio, 1.1) << error;
      EXPECT_NEAR(found.errors.front().percentile_99 / error, ratio, 0.15);
      const bool has_components = name == "merger";
      EXPECT_EQ(found.errors.size(), has_components ? 3U : 1U);
    }
  }
}

TEST_P(ForceError, IsReachedByAllCriteriaAndOrders) {
  const files::Snapshot start = plummer(16000);
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
      ForceOptions options = asking_for(start, 1e-3);
      options.acceptance.mac = mac;
      options.acceptance.order = order;
      const TreeForces found = make_engine(device())->forces(start.particles, start.time, options);
      const double ratio = error_of(start, found.forces) / 1e-3;
      EXPECT_GT(ratio, 0.7) << int(mac) << int(order);
      EXPECT_LT(ratio, 1.1) << int(mac) << int(order);
      EXPECT_EQ(found.acceptance.order, order);
    }
  }
}

TEST_P(ForceError, OfPointsIsTheOneThatWasAskedFor) {
  const files::Snapshot start = plummer(16000);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < 5000; ++i) {
    Vec3 r = start.particles.position[i];
    for (float& x : r) x *= 1.1F;
    points.push_back(r);
  }
  const auto engine = make_engine(device());
  const TreeForces found = engine->forces_at(start.particles, points, 0, asking_for(start, 5e-4));
  const DirectForces exact =
      engine->direct_sum_at(start.particles, points, 0, {1, start.softening});
  const double ratio = quantile(relative_errors(found.forces, exact.forces), 0.99) / 5e-4;
  EXPECT_GT(ratio, 0.7);
  EXPECT_LT(ratio, 1.1);
}

TEST_P(ForceError, IsNoneOfForcesThatAreExact) {
  for (const std::size_t count : {1, 2, 33}) {
    const files::Snapshot start = particles_at_rest(count);  // all of them in one place
    const auto simulation =
        make_simulation(device(), start, asking_for(start, 1e-3), steps(start, 1));
    const auto all = gothic::force_errors(simulation->force_sample()).front();
    EXPECT_EQ(all.sampled, count);
    EXPECT_EQ(all.percentile_99, 0);
    for (int step = 0; step < 3 && !simulation->finished(); ++step) simulation->step();
  }
}

TEST_P(ForceError, StaysWithOldTreesAndBlockSteps) {
  const files::Snapshot start = merger(16000);
  StepOptions options = steps(start, 4);
  options.error_interval = 64;
  const auto simulation = make_simulation(device(), start, asking_for(start, 1e-3), options);
  int samples = 0;
  for (int step = 1; step <= 256; ++step) samples += simulation->step().sampled ? 1 : 0;
  EXPECT_EQ(samples, 5) << "every 64 steps, and an early one";
  while (!simulation->synchronised()) simulation->step();
  files::Snapshot saved = start;
  Forces found;
  save(*simulation, saved, found);
  const double ratio = error_of(saved, found) / 1e-3;
  EXPECT_GT(ratio, 0.6);
  EXPECT_LT(ratio, 1.2);
}

/// A sphere that collapses: its forces become another problem.
TEST_P(ForceError, IsCorrectedWhenTheParticlesMove) {
  files::Snapshot start = plummer(8000);
  for (Vec3& v : start.particles.velocity) v = {};
  StepOptions options = steps(start, 2);
  options.error_interval = 16;
  const auto simulation = make_simulation(device(), start, asking_for(start, 1e-3), options);
  const float first = simulation->facts().force.acceptance.accuracy;
  bool has_changed = false;
  double worst = 0;
  while (!simulation->finished()) {
    if (!simulation->step().sampled) continue;
    const auto all = gothic::force_errors(simulation->force_sample()).front();
    worst = std::max(worst, all.percentile_99);
    has_changed = has_changed || simulation->facts().force.acceptance.accuracy != first;
  }
  EXPECT_TRUE(has_changed);
  EXPECT_LT(worst, 2e-3);
}

TEST_P(ForceError, IsKeptAcrossARestart) {
  const files::Snapshot start = merger(4000);
  StepOptions options = steps(start, 4);
  options.error_interval = 10;
  const ForceOptions force = asking_for(start, 1e-3);
  const auto whole = make_simulation(device(), start, force, options);
  for (int step = 0; step < 25; ++step) whole->step();
  const SimulationState state = whole->state();
  const auto rest = make_simulation(device(), start, force, options, &state);
  EXPECT_EQ(rest->facts().force.acceptance, whole->facts().force.acceptance);
  for (int step = 0; step < 30; ++step) {
    const StepRecord one = whole->step(), other = rest->step();
    EXPECT_EQ(one.sampled, other.sampled);
    EXPECT_EQ(one.time, other.time);
  }
  if (std::string(GetParam()) == "cpu") {
    files::Snapshot a = start, b = start;
    Forces of_a, of_b;
    save(*whole, a, of_a);
    save(*rest, b, of_b);
    EXPECT_EQ(a.particles.position, b.particles.position);
    EXPECT_EQ(of_a.acceleration, of_b.acceleration);
  }
}

TEST_P(ForceError, DoesNotChangeTheCourseByBeingMeasured) {
  const files::Snapshot start = plummer(2000);
  const Outcome outcome = run(start, forces(start), steps(start, 0.5));
  const auto simulation = make_simulation(device(), start, forces(start), steps(start, 0.5));
  while (!simulation->finished()) {
    simulation->step();
    simulation->force_sample();
  }
  if (std::string(GetParam()) == "cpu") {
    files::Snapshot saved = start;
    Forces found;
    save(*simulation, saved, found);
    EXPECT_EQ(saved.particles.position, outcome.end.particles.position);
  }
}

INSTANTIATE_TEST_SUITE_P(OnDevice, ForceError, every_device());

TEST(ForceErrorOnRanks, IsTheOneThatWasAskedFor) {
  const files::Snapshot start = merger(16000);
  std::vector<std::uint32_t> targets;
  for (std::uint32_t i = 0; i < 16000; i += 3) targets.push_back(i);
  const auto exact =
      make_engine({"cpu", 2})->direct_sum(start.particles, targets, 0, {1, start.softening});
  for (const int count : {1, 2, 4}) {
    SCOPED_TRACE(std::to_string(count) + " ranks");
    ForceOptions options;
    options.acceptance = {Mac::acceleration, 0x1p-7F, 1, Order::automatic};
    options.softening = start.softening;
    options.error = 5e-4;
    StepOptions steps;
    steps.end_time = 1;
    steps.error_interval = 8;
    std::vector<std::vector<ForceErrorRecord>> told(static_cast<std::size_t>(count));
    std::vector<Forces> found(static_cast<std::size_t>(count));
    on_ranks(count, [&](Communicator& ranks) {
      const auto own = std::size_t(ranks.rank()), all = std::size_t(count);
      const std::size_t begin = 16000 * own / all, end = 16000 * (own + 1) / all;
      Particles part;
      part.resize(end - begin);
      for (std::size_t i = begin; i < end; ++i) {
        part.mass[i - begin] = start.particles.mass[i];
        part.position[i - begin] = start.particles.position[i];
        part.velocity[i - begin] = start.particles.velocity[i];
        part.id[i - begin] = start.particles.id[i];
        part.component[i - begin] = start.particles.component[i];
      }
      SimulationOn<cpu::Device> simulation(cpu::Device({.threads = 1}), part, 0, options, steps,
                                           ranks);
      Particles saved = part;
      simulation.save(saved, found[own]);
      told[own] = force_errors(simulation.force_sample());
      for (int step = 0; step < 12; ++step) simulation.step();
      const auto later = force_errors(simulation.force_sample()).front();
      EXPECT_GT(later.percentile_99 / options.error, 0.6);
      EXPECT_LT(later.percentile_99 / options.error, 1.3);
    });
    Forces of_targets;
    Forces together;
    for (const Forces& part : found) {
      together.acceleration.insert(together.acceleration.end(), part.acceleration.begin(),
                                   part.acceleration.end());
    }
    for (const std::uint32_t i : targets) {
      of_targets.acceleration.push_back(together.acceleration[i]);
    }
    const double error = quantile(relative_errors(of_targets, exact.forces), 0.99);
    EXPECT_GT(error / options.error, 0.7);
    EXPECT_LT(error / options.error, 1.1);
    for (const auto& records : told) {
      ASSERT_EQ(records.size(), 3U);
      EXPECT_NEAR(records[0].percentile_99 / error, 1, 0.15);
      EXPECT_EQ(records[0].percentile_99, told[0][0].percentile_99);
    }
  }
}

}  // namespace
}  // namespace gothic::test
