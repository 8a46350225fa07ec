#include "simulations.hpp"

namespace gothic::test {
namespace {

class Points : public SimulationOnDevice {
 protected:
  TreeForces at(const files::Snapshot& snapshot, const std::vector<Vec3>& points,
                const ForceOptions& force, int threads = 2) const {
    return make_engine(device(threads))->forces_at(snapshot.particles, points, 0, force);
  }

  DirectForces exactly_at(const files::Snapshot& snapshot, const std::vector<Vec3>& points,
                          const ExternalField& field = {}) const {
    return make_engine(device())->direct_sum_at(
        snapshot.particles, points, 0, {.softening = snapshot.softening, .external = field});
  }

  /// Points of another sphere, some of them far out.
  static std::vector<Vec3> some(std::size_t count) {
    std::vector<Vec3> points = plummer(count).particles.position;
    std::reverse(points.begin(), points.end());
    for (std::size_t i = 0; i < count; i += 3) {
      for (float& axis : points[i]) axis = -3 * axis;
    }
    return points;
  }
};

TEST_P(Points, HaveTheForcesOfDirectSums) {
  const files::Snapshot snapshot = plummer(4096);
  ExternalField field;
  field.potentials[field.count++] = {ExternalPotential::Kind::logarithmic, 1, 0.5, 0.8};
  constexpr float accuracy = 0x1p-10F;
  for (const std::size_t count : {1, 2, 33, 1000, 20000}) {
    const auto points = some(count);
    for (const ExternalField& external : {ExternalField{}, field}) {
      ForceOptions force = forces(snapshot, accuracy);
      force.external = external;
      const TreeForces found = at(snapshot, points, force);
      const DirectForces exact = exactly_at(snapshot, points, external);
      EXPECT_LT(quantile(relative_errors(found.forces, exact.forces), 0.99), 5 * accuracy) << count;
      EXPECT_EQ(exact.interactions, 4096 * count);
      EXPECT_LE(found.cost.counts.interactions(), (4096 + count) * count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(found.forces.potential[i], exact.forces.potential[i], 5e-3);
      }
    }
  }
}

TEST_P(Points, HaveThemWithEveryCriterionAndSize) {
  const files::Snapshot snapshot = plummer(3000);
  const auto points = some(700);
  const DirectForces exact = exactly_at(snapshot, points);
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const std::uint32_t group : {0U, 1U, 16U}) {
      ForceOptions force = forces(snapshot);
      force.acceptance = {mac, mac == Mac::opening ? 0.4F : 0x1p-8F, 1};
      force.group_size = group;
      const TreeForces found = at(snapshot, points, force);
      EXPECT_LT(quantile(relative_errors(found.forces, exact.forces), 0.99), 2.5e-2) << int(mac);
      EXPECT_EQ(found.bootstrap_seconds > 0, mac == Mac::acceleration);
    }
  }
}

TEST_P(Points, OnParticlesFeelThemToo) {
  const files::Snapshot snapshot = plummer(2000);
  const auto& points = snapshot.particles.position;
  const TreeForces found = at(snapshot, points, forces(snapshot, 1e-7F));
  const Forces own =
      make_engine(device())->forces(snapshot.particles, 0, forces(snapshot, 1e-7F)).forces;
  const double own_potential = -1 / (2000 * snapshot.softening);
  for (std::size_t i = 0; i < 2000; ++i) {
    const Vec3& a = own.acceleration[i];
    const double size = std::hypot(a[0], a[1], a[2]);
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_NEAR(found.forces.acceleration[i][axis], a[axis], 2e-5 * (1 + size));
    }
    ASSERT_NEAR(found.forces.potential[i], own.potential[i] + own_potential, 2e-5);
  }
}

TEST_P(Points, DoNotDependOnThreadsNorOnTheirOrder) {
  const files::Snapshot snapshot = plummer(3000);
  auto points = some(1000);
  const TreeForces one = at(snapshot, points, forces(snapshot), 1);
  const TreeForces two = at(snapshot, points, forces(snapshot), 2);
  EXPECT_EQ(one.forces.acceleration, two.forces.acceleration);
  EXPECT_EQ(one.forces.potential, two.forces.potential);
  EXPECT_EQ(one.cost.counts.interactions(), two.cost.counts.interactions());
  std::reverse(points.begin(), points.end());
  TreeForces backwards = at(snapshot, points, forces(snapshot));
  std::reverse(backwards.forces.potential.begin(), backwards.forces.potential.end());
  EXPECT_EQ(backwards.forces.potential, one.forces.potential);
}

TEST_P(Points, AreAsExactAndCostAsMuchAsSoManyParticles) {
  const files::Snapshot snapshot = plummer(20000);
  const TreeForces own = make_engine(device())->forces(snapshot.particles, 0, forces(snapshot));
  const double usual_error = quantile(force_errors(snapshot, own.forces, 2000), 0.99);
  const double usual_cost = double(own.cost.counts.interactions()) / 20000;
  for (const std::size_t count : {200, 2000}) {
    const auto points = some(count);
    const TreeForces found = at(snapshot, points, forces(snapshot));
    const auto of_points = relative_errors(found.forces, exactly_at(snapshot, points).forces);
    EXPECT_LT(quantile(of_points, 0.99), 2 * usual_error) << count;
    EXPECT_LT(double(found.cost.counts.interactions()), 2 * usual_cost * double(count)) << count;
  }
}

TEST_P(Points, MayLieInOnePlaceOrFarAway) {
  const files::Snapshot snapshot = plummer(1000);
  std::vector<Vec3> points(100, Vec3{0.5F, 0.25F, -1});
  points.push_back({1e5F, 0, 0});
  points.push_back({0, 0, -1e6F});
  const TreeForces found = at(snapshot, points, forces(snapshot));
  const DirectForces exact = exactly_at(snapshot, points);
  EXPECT_LT(relative_errors(found.forces, exact.forces).back(), 5 * 0x1p-7);
}

TEST_P(Points, BesideASingleParticleFeelItsSoftenedPull) {
  files::Snapshot one = particles_at_rest(1);
  const double softening = one.softening;
  const TreeForces found = at(one, {{0, 0, 0}, {2, 0, 0}}, forces(one));
  EXPECT_EQ(found.forces.acceleration[0], (Vec3{0, 0, 0}));
  const auto expect = [](double value, double exact) {
    EXPECT_NEAR(value, exact, 1e-3 * std::abs(exact));  // estimates of roots have 12 bits at least
  };
  expect(found.forces.potential[0], -1 / softening);
  expect(found.forces.potential[1], -1 / std::hypot(2, softening));
  expect(found.forces.acceleration[1][0], -2 / std::pow(4 + softening * softening, 1.5));
}

INSTANTIATE_TEST_SUITE_P(Devices, Points, every_device(),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gothic::test
