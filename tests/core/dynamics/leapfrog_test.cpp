#include <array>

#include "fixtures.hpp"

/// The predictor-corrector with a fixed step for all particles is the leapfrog.
namespace gothic::test {
namespace {

constexpr double softening_of_pair = 0.1, dt = 0.05;

using Vector = std::array<double, 3>;

/// Two bodies of mass 1/2 in double precision.
struct Pair {
  std::array<Vector, 2> position, velocity;
};

std::array<Vector, 2> accelerations(const std::array<Vector, 2>& position) {
  Vector apart;
  double s2 = softening_of_pair * softening_of_pair;
  for (int axis = 0; axis < 3; ++axis) {
    apart[axis] = position[1][axis] - position[0][axis];
    s2 += apart[axis] * apart[axis];
  }
  const double pull = 0.5 / (s2 * std::sqrt(s2));
  return {Vector{pull * apart[0], pull * apart[1], pull * apart[2]},
          Vector{-pull * apart[0], -pull * apart[1], -pull * apart[2]}};
}

/// Two bodies at distance 1, with a fraction of the speed of the circular orbit.
Pair orbit(double fraction) {
  const double v = 0.5 * fraction * std::pow(1 + softening_of_pair * softening_of_pair, -0.75);
  return {{Vector{0.5, 0, 0}, Vector{-0.5, 0, 0}}, {Vector{0, v, 0}, Vector{0, -v, 0}}};
}

/// The leapfrog in the form kick, drift, kick.
Pair kick_drift_kick(Pair pair, int steps) {
  const auto add = [](std::array<Vector, 2>& to, double factor, const std::array<Vector, 2>& rate) {
    for (int body = 0; body < 2; ++body) {
      for (int axis = 0; axis < 3; ++axis) to[body][axis] += factor * rate[body][axis];
    }
  };
  for (int step = 0; step < steps; ++step) {
    add(pair.velocity, dt / 2, accelerations(pair.position));
    add(pair.position, dt, pair.velocity);
    add(pair.velocity, dt / 2, accelerations(pair.position));
  }
  return pair;
}

Vector vector_of(const Vec4& v) { return {v.x, v.y, v.z}; }
Vec4 vec4_of(const Vector& v, float w) { return {float(v[0]), float(v[1]), float(v[2]), w}; }

std::vector<Vec4> forces(const std::vector<Vec4>& position) {
  const auto a = accelerations({vector_of(position[0]), vector_of(position[1])});
  return {vec4_of(a[0], 0), vec4_of(a[1], 0)};
}

template <class Case>
class LeapfrogOn : public OnDevice<Case> {
 protected:
  using Device = typename Case::Device;

  /// The scheme under test, with forces in double precision from the test itself.
  Pair integrate(const Pair& start, int steps) {
    const TimeGrid grid = TimeGrid::fixed(dt);
    const StepRule rule{StepRule::Mode::fixed, 0.5, softening_of_pair};
    HostBodies host = random_bodies(2);
    for (int body = 0; body < 2; ++body) {
      host.position[body] = vec4_of(start.position[body], 0.5F);
      host.velocity[body] = vec4_of(start.velocity[body], 0);
    }
    host.level = {0, 0};
    host.acceleration = forces(host.position);
    const auto held = upload<Device>(host);
    Bodies<Device>& bodies = *held;
    auto targets = to_device<Device>(numbers(2));
    Population population;
    population.move(0, schedule(this->device, bodies, grid, rule, 0, targets.data(), 2).get());
    for (int step = 1; step <= steps; ++step) {
      const std::int64_t before = step - 1;
      const Population::Due due = population.next(grid, before);
      EXPECT_EQ(due.time, step);
      EXPECT_EQ(due.particles, 2U);
      predict(this->device, bodies, grid, before, due.time);
      bodies.new_acceleration.upload(forces(to_host(bodies.predicted)));
      select_due(this->device, bodies, due.levels, targets.data());
      const auto next =
          advance(this->device, bodies, grid, rule, before, due.time, targets.data(), 2);
      population.move(due.levels, next.get());
    }
    const HostBodies end = download(bodies);
    return {{vector_of(end.position[0]), vector_of(end.position[1])},
            {vector_of(end.velocity[0]), vector_of(end.velocity[1])}};
  }
};
TYPED_TEST_SUITE(LeapfrogOn, Devices);

/// The scheme can be reversed in time, and has errors of second order and no drift of the energy.
TYPED_TEST(LeapfrogOn, FixedStepIsKickDriftKick) {
  for (const double fraction : {0.5, 1.0, 1.2}) {
    const Pair start = orbit(fraction);
    for (const int steps : {1, 2, 10, 100, 1000}) {
      const Pair found = this->integrate(start, steps), wanted = kick_drift_kick(start, steps);
      const double tolerance = 2e-6 + 1e-7 * steps;
      for (int body = 0; body < 2; ++body) {
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(found.position[body][axis], wanted.position[body][axis], tolerance) << steps;
          EXPECT_NEAR(found.velocity[body][axis], wanted.velocity[body][axis], tolerance) << steps;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gothic::test
