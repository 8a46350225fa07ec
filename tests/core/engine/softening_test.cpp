#include <numbers>
#include <numeric>

#include "core/tree/multipole.hpp"
#include "simulations.hpp"

/// Particles with softening lengths of their own: a pair has the root mean square of both.
namespace gothic::test {
namespace {

const std::vector<double> lengths = {0.3, 0.02, 0.1};

/// A sphere of three components. Their mixture changes with the radius, so that the centre of a
/// cell's mass is not that of its lengths.
files::Snapshot mixed_sphere(std::size_t count) {
  files::Snapshot snapshot = plummer(count);
  snapshot.softening = 0.02;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [x, y, z] = snapshot.particles.position[i];
    snapshot.particles.component[i] = x > 0.3F * y && i % 4 != 0 ? 0 : 1 + int(i % 2);
  }
  return snapshot;
}

/// Softened sums over all pairs, in double precision.
ReferenceForces plain_sums(const Particles& particles) {
  ReferenceForces forces;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    std::array<double, 3> pull{};
    double potential = 0;
    const double own = lengths[std::size_t(particles.component[i])];
    for (std::size_t j = 0; j < particles.size(); ++j) {
      if (j == i) continue;
      const double other = lengths[std::size_t(particles.component[j])];
      double d[3], s2 = 0.5 * (own * own + other * other);
      for (int k = 0; k < 3; ++k) {
        d[k] = double(particles.position[j][k]) - particles.position[i][k];
        s2 += d[k] * d[k];
      }
      const double weight = particles.mass[j] / (s2 * std::sqrt(s2));
      for (int k = 0; k < 3; ++k) pull[k] += weight * d[k];
      potential -= particles.mass[j] / std::sqrt(s2);
    }
    forces.acceleration.push_back(pull);
    forces.potential.push_back(potential);
  }
  return forces;
}

class OwnSoftening : public SimulationOnDevice {
 protected:
  static ForceOptions mixed(float accuracy, Order order = Order::automatic) {
    ForceOptions options;
    options.acceptance = {Mac::acceleration, accuracy, 1, order};
    options.softening = 0.02;
    options.component_softening = lengths;
    return options;
  }
};

TEST_P(OwnSoftening, DirectSumsAreThoseOfAPlainLoop) {
  const Particles particles = mixed_sphere(1500).particles;
  const ReferenceForces expected = plain_sums(particles);
  std::vector<std::uint32_t> all(particles.size());
  std::iota(all.begin(), all.end(), 0U);
  const auto found = [&](Precision precision) {
    return make_engine(device())
        ->direct_sum(particles, all, 0,
                     {.softening = 0.02, .component_softening = lengths, .precision = precision})
        .forces;
  };
  const ReferenceForces exact = found(Precision::double_precision),
                        single = found(Precision::single_newton);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double a = expected.acceleration[i][k];
      ASSERT_NEAR(exact.acceleration[i][k], a, 1e-6);  // lengths are kept in single precision
      ASSERT_NEAR(single.acceleration[i][k], a, 2e-5);
    }
    ASSERT_NEAR(exact.potential[i], expected.potential[i], 1e-6);
    ASSERT_NEAR(single.potential[i], expected.potential[i], 1e-5);
  }
}

/// At every order and accuracy errors are those of particles with equal lengths.
TEST_P(OwnSoftening, TreeForcesAreAsExactAsWithEqualLengths) {
  const Particles particles = mixed_sphere(6000).particles;
  const auto engine = make_engine(device());
  std::vector<std::uint32_t> all(particles.size());
  std::iota(all.begin(), all.end(), 0U);
  for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
    for (const float accuracy : {0x1p-6F, 0x1p-10F, 0x1p-14F}) {
      SCOPED_TRACE("order " + std::to_string(int(order)) + ", " + std::to_string(accuracy));
      const auto errors = [&](const std::vector<double>& of_components) {
        ForceOptions options = mixed(accuracy, order);
        options.component_softening = of_components;
        if (of_components.empty()) options.softening = 0.1;
        return relative_errors(
            engine->forces(particles, 0, options).forces,
            engine
                ->direct_sum(particles, all, 0,
                             {.softening = options.softening, .component_softening = of_components})
                .forces);
      };
      const auto own = errors(lengths), equal = errors({});
      EXPECT_LT(quantile(own, 0.5), 1.15 * quantile(equal, 0.5));
      EXPECT_LT(quantile(own, 0.99), 1.3 * quantile(equal, 0.99));
    }
  }
}

TEST_P(OwnSoftening, ForcesWithEveryCriterionAndSizeOfGroupsAreExact) {
  const Particles particles = mixed_sphere(3000).particles;
  const auto engine = make_engine(device());
  const ReferenceForces expected = plain_sums(particles);
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const std::uint32_t group : {0U, 1U, 4U, 16U}) {
      ForceOptions options = mixed(0x1p-8F);
      options.acceptance.mac = mac;
      if (mac == Mac::opening) options.acceptance.accuracy = 0.3F;
      options.group_size = group;
      const auto errors = relative_errors(engine->forces(particles, 0, options).forces, expected);
      EXPECT_LT(quantile(errors, 0.99), 1e-2) << int(mac) << ", groups of " << group;
    }
  }
}

TEST_P(OwnSoftening, EqualLengthsOfComponentsAreOneLength) {
  const Particles particles = mixed_sphere(2000).particles;
  const auto engine = make_engine(device());
  ForceOptions one = mixed(0x1p-9F), equal = one;
  one.component_softening.clear();
  equal.component_softening = {0.02, 0.02, 0.02};
  const Forces a = engine->forces(particles, 0, one).forces,
               b = engine->forces(particles, 0, equal).forces;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    for (int k = 0; k < 3; ++k) ASSERT_NEAR(a.acceleration[i][k], b.acceleration[i][k], 1e-4);
    ASSERT_NEAR(a.potential[i], b.potential[i], 1e-5);
  }
}

TEST_P(OwnSoftening, PointsHaveTheShortestLength) {
  const Particles particles = mixed_sphere(3000).particles;
  std::vector<Vec3> points = plummer(500).particles.position;
  for (Vec3& point : points) point = {-point[1], point[2], 1.3F * point[0]};
  const auto engine = make_engine(device());
  const auto found = engine->forces_at(particles, points, 0, mixed(0x1p-10F)).forces;
  const auto exact = engine->direct_sum_at(particles, points, 0,
                                           {.softening = 0.02, .component_softening = lengths});
  EXPECT_LT(quantile(relative_errors(found, exact.forces), 0.99), 5e-3);
  double a[3] = {};  // at the first point
  for (std::size_t j = 0; j < particles.size(); ++j) {
    const double other = lengths[std::size_t(particles.component[j])];
    double d[3], s2 = 0.5 * (0.02 * 0.02 + other * other);
    for (int k = 0; k < 3; ++k) d[k] = double(particles.position[j][k]) - points[0][k];
    for (const double x : d) s2 += x * x;
    for (int k = 0; k < 3; ++k) a[k] += particles.mass[j] * d[k] / (s2 * std::sqrt(s2));
  }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(exact.forces.acceleration[0][k], a[k], 1e-6);
}

/// Two bodies of different masses and lengths on circles about their centre of mass.
TEST_P(OwnSoftening, TwoBodiesCircleEachOther) {
  constexpr double heavy = 0.8, light = 0.2, distance = 0.5;
  files::Snapshot start = particles_at_rest(2);
  start.particles.mass = {heavy, light};
  start.particles.component = {0, 2};
  const double eps2 = 0.5 * (lengths[0] * lengths[0] + lengths[2] * lengths[2]);
  const double rate = std::pow(distance * distance + eps2, -0.75);
  start.particles.position = {{light * distance, 0, 0}, {-heavy * distance, 0, 0}};
  start.particles.velocity = {{0, float(light * distance * rate), 0},
                              {0, float(-heavy * distance * rate), 0}};
  StepOptions options = steps(start, 2 * std::numbers::pi / rate);
  options.longest_step = 0x1p-8;
  const Outcome outcome = run(start, mixed(1e-7F), options);
  EXPECT_LT(outcome.energy_error(), 1e-5);
  for (int body = 0; body < 2; ++body) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(outcome.end.particles.position[body][axis], start.particles.position[body][axis],
                  1e-3);
    }
  }
}

TEST_P(OwnSoftening, KeepsEnergyAndMomentum) {
  const files::Snapshot start = mixed_sphere(4000);
  const Outcome outcome = run(start, mixed(0x1p-9F), steps(start, 1, StepRule::Mode::block, 0.2));
  EXPECT_LT(outcome.energy_error(), 1e-3);
  for (const double p : outcome.sums.back().momentum) EXPECT_NEAR(p, 0, 2e-3);
}

/// A step is eta sqrt(length / acceleration): of two bodies of equal masses, that with 16 times the
/// length takes a step four times as long.
TEST_P(OwnSoftening, StepsFollowTheOwnLength) {
  files::Snapshot start = particles_at_rest(2);
  start.particles.position = {{0.5F, 0, 0}, {-0.5F, 0, 0}};
  start.particles.component = {0, 1};
  ForceOptions force = mixed(0x1p-7F);
  force.component_softening = {0.32, 0.02};
  const auto simulation = make_simulation(device(), start, force, steps(start, 0));
  const StepLevels levels = simulation->levels();
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[1].step, 4 * levels[0].step);
  EXPECT_FLOAT_EQ(simulation->diagnosis().shortest.softening, 0.02F);
}

TEST_P(OwnSoftening, GoesOnAfterARestart) {
  const files::Snapshot start = mixed_sphere(1000);
  const auto whole = make_simulation(device(), start, mixed(0x1p-7F), steps(start, 0));
  for (int step = 0; step < 20; ++step) whole->step();
  SimulationState state = whole->state();
  const auto rest = make_simulation(device(), start, mixed(0x1p-7F), steps(start, 0), &state);
  for (int step = 0; step < 20; ++step) {
    const StepRecord a = whole->step(), b = rest->step();
    EXPECT_EQ(a.active, b.active) << step;
  }
  files::Snapshot one = start, other = start;
  Forces forces_of_one, forces_of_other;
  save(*whole, one, forces_of_one);
  save(*rest, other, forces_of_other);
  if (std::string(GetParam()) == "cpu") {
    EXPECT_EQ(one.particles.position, other.particles.position);
  }
  std::erase_if(state.fields, [](const StoredField& field) { return field.name == "Softening"; });
  EXPECT_THROW(make_simulation(device(), start, mixed(0x1p-7F), steps(start, 0), &state),
               StateError);
}

INSTANTIATE_TEST_SUITE_P(Devices, OwnSoftening, every_device(),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gothic::test
