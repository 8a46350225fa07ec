#include "core/engine/points.hpp"

#include "fixtures.hpp"

namespace gothic::test {
namespace {

class Points : public SimulationOnDevice {
 protected:
  PointForces at(const files::Snapshot& snapshot, const std::vector<files::Vec3>& points,
                 const ForceOptions& force, int threads = 2) const {
    return forces_at(device(threads), snapshot.particles, points, force);
  }

  DirectResult exactly_at(const files::Snapshot& snapshot, const std::vector<files::Vec3>& points,
                          const ExternalField& field = {}) const {
    return direct_sum_at(device(), snapshot.particles, points, 1, snapshot.softening,
                         Precision::double_precision, field);
  }

  /// Errors of the accelerations relative to direct sums, in ascending order.
  std::vector<double> errors(const files::Forces& found,
                             const files::ReferenceForces& exact) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < found.potential.size(); ++i) {
      const auto& a = found.acceleration[i];
      const auto& b = exact.acceleration[i];
      result.push_back(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) /
                       std::hypot(b[0], b[1], b[2]));
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Points of another sphere, some of them far out.
  static std::vector<files::Vec3> some(std::size_t count) {
    std::vector<files::Vec3> points = plummer(count).particles.position;
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
      const PointForces found = at(snapshot, points, force);
      const DirectResult exact = exactly_at(snapshot, points, external);
      EXPECT_LT(quantile(errors(found.forces, exact.forces), 0.99), 5 * accuracy) << count;
      EXPECT_EQ(exact.interactions, 4096 * count);
      EXPECT_LE(found.cost.interactions, (4096 + count) * count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(found.forces.potential[i], exact.forces.potential[i], 5e-3);
      }
    }
  }
}

TEST_P(Points, HaveThemWithEveryCriterionAndSize) {
  const files::Snapshot snapshot = plummer(3000);
  const auto points = some(700);
  const DirectResult exact = exactly_at(snapshot, points);
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const std::uint32_t group : {0U, 1U, 16U}) {
      ForceOptions force = forces(snapshot);
      force.acceptance = {mac, mac == Mac::opening ? 0.4F : 0x1p-8F, 1};
      force.group_size = group;
      const PointForces found = at(snapshot, points, force);
      EXPECT_LT(quantile(errors(found.forces, exact.forces), 0.99), 2.5e-2) << int(mac);
      EXPECT_EQ(found.bootstrap_seconds > 0, mac == Mac::acceleration);
    }
  }
}

TEST_P(Points, OnParticlesFeelThemToo) {
  const files::Snapshot snapshot = plummer(2000);
  const auto& points = snapshot.particles.position;
  const PointForces found = at(snapshot, points, forces(snapshot, 1e-7F));
  const auto simulation = make_simulation(device(), snapshot, forces(snapshot, 1e-7F), {});
  files::Snapshot saved = snapshot;
  files::Forces own;
  simulation->save(saved, own);
  const double own_potential = -1 / (2000 * snapshot.softening);
  for (std::size_t i = 0; i < 2000; ++i) {
    const files::Vec3& a = own.acceleration[i];
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
  const PointForces one = at(snapshot, points, forces(snapshot), 1);
  const PointForces two = at(snapshot, points, forces(snapshot), 2);
  EXPECT_EQ(one.forces.acceleration, two.forces.acceleration);
  EXPECT_EQ(one.forces.potential, two.forces.potential);
  EXPECT_EQ(one.cost.interactions, two.cost.interactions);
  std::reverse(points.begin(), points.end());
  PointForces backwards = at(snapshot, points, forces(snapshot));
  std::reverse(backwards.forces.potential.begin(), backwards.forces.potential.end());
  EXPECT_EQ(backwards.forces.potential, one.forces.potential);
}

TEST_P(Points, AreAsExactAndCostAsMuchAsSoManyParticles) {
  const files::Snapshot snapshot = plummer(20000);
  const auto simulation = make_simulation(device(), snapshot, forces(snapshot), {});
  files::Snapshot saved = snapshot;
  files::Forces own;
  simulation->save(saved, own);
  const double usual_error = quantile(force_errors(snapshot, own, 2000), 0.99);
  const double usual_cost = double(simulation->first_force().interactions) / 20000;
  for (const std::size_t count : {200, 2000}) {
    const auto points = some(count);
    const PointForces found = at(snapshot, points, forces(snapshot));
    const auto of_points = errors(found.forces, exactly_at(snapshot, points).forces);
    EXPECT_LT(quantile(of_points, 0.99), 2 * usual_error) << count;
    EXPECT_LT(double(found.cost.interactions), 2 * usual_cost * double(count)) << count;
  }
}

TEST_P(Points, MayLieInOnePlaceOrFarAway) {
  const files::Snapshot snapshot = plummer(1000);
  std::vector<files::Vec3> points(100, files::Vec3{0.5F, 0.25F, -1});
  points.push_back({1e5F, 0, 0});
  points.push_back({0, 0, -1e6F});
  const PointForces found = at(snapshot, points, forces(snapshot));
  const DirectResult exact = exactly_at(snapshot, points);
  EXPECT_LT(errors(found.forces, exact.forces).back(), 5 * 0x1p-7);
}

TEST_P(Points, BesideASingleParticleFeelItsSoftenedPull) {
  files::Snapshot one = particles_at_rest(1);
  const double softening = one.softening;
  const PointForces found = at(one, {{0, 0, 0}, {2, 0, 0}}, forces(one));
  EXPECT_EQ(found.forces.acceleration[0], (files::Vec3{0, 0, 0}));
  const auto expect = [](double value, double exact) {
    EXPECT_NEAR(value, exact, 1e-3 * std::abs(exact));  // estimates of roots have 12 bits at least
  };
  expect(found.forces.potential[0], -1 / softening);
  expect(found.forces.potential[1], -1 / std::hypot(2, softening));
  expect(found.forces.acceleration[1][0], -2 / std::pow(4 + softening * softening, 1.5));
}

INSTANTIATE_TEST_SUITE_P(Devices, Points, ::testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gothic::test
