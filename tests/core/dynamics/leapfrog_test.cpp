#include <array>
#include <functional>
#include <numbers>

#include "fixtures.hpp"

/// With a fixed step that all particles share the predictor-corrector is the leapfrog.
namespace gothic::test {
namespace {

constexpr double softening = 0.1;

using Vector = std::array<double, 3>;

/// Two bodies of mass 1/2 in double precision.
struct Pair {
  std::array<Vector, 2> position, velocity;
};

std::array<Vector, 2> accelerations(const std::array<Vector, 2>& position) {
  Vector apart;
  double s2 = softening * softening;
  for (int axis = 0; axis < 3; ++axis) {
    apart[axis] = position[1][axis] - position[0][axis];
    s2 += apart[axis] * apart[axis];
  }
  const double pull = 0.5 / (s2 * std::sqrt(s2));
  return {Vector{pull * apart[0], pull * apart[1], pull * apart[2]},
          Vector{-pull * apart[0], -pull * apart[1], -pull * apart[2]}};
}

double energy(const Pair& pair) {
  double kinetic = 0, s2 = softening * softening;
  for (int axis = 0; axis < 3; ++axis) {
    for (int body = 0; body < 2; ++body) {
      kinetic += 0.25 * pair.velocity[body][axis] * pair.velocity[body][axis];
    }
    const double apart = pair.position[1][axis] - pair.position[0][axis];
    s2 += apart * apart;
  }
  return kinetic - 0.25 / std::sqrt(s2);
}

/// Angular speed of the circular orbit at distance 1.
double circular_rate() { return std::pow(1 + softening * softening, -0.75); }

/// Two bodies at distance 1, with a fraction of the speed of the circular orbit.
Pair orbit(double fraction) {
  const double v = 0.5 * fraction * circular_rate();
  return {{Vector{0.5, 0, 0}, Vector{-0.5, 0, 0}}, {Vector{0, v, 0}, Vector{0, -v, 0}}};
}

/// The leapfrog in the form kick, drift, kick.
Pair kick_drift_kick(Pair pair, double dt, int steps) {
  const auto kick = [&] {
    const auto a = accelerations(pair.position);
    for (int body = 0; body < 2; ++body) {
      for (int axis = 0; axis < 3; ++axis) pair.velocity[body][axis] += dt / 2 * a[body][axis];
    }
  };
  for (int step = 0; step < steps; ++step) {
    kick();
    for (int body = 0; body < 2; ++body) {
      for (int axis = 0; axis < 3; ++axis) {
        pair.position[body][axis] += dt * pair.velocity[body][axis];
      }
    }
    kick();
  }
  return pair;
}

/// The classical fourth-order Runge-Kutta method.
Pair runge_kutta(Pair pair, double time, int steps) {
  const double dt = time / steps;
  const auto moved = [](const Pair& from, const Pair& rate, double by) {
    Pair to = from;
    for (int body = 0; body < 2; ++body) {
      for (int axis = 0; axis < 3; ++axis) {
        to.position[body][axis] += by * rate.position[body][axis];
        to.velocity[body][axis] += by * rate.velocity[body][axis];
      }
    }
    return to;
  };
  const auto rate = [](const Pair& at) { return Pair{at.velocity, accelerations(at.position)}; };
  for (int step = 0; step < steps; ++step) {
    const Pair k1 = rate(pair), k2 = rate(moved(pair, k1, dt / 2)),
               k3 = rate(moved(pair, k2, dt / 2)), k4 = rate(moved(pair, k3, dt));
    pair = moved(moved(moved(moved(pair, k1, dt / 6), k2, dt / 3), k3, dt / 3), k4, dt / 6);
  }
  return pair;
}

double largest_difference(const Pair& a, const Pair& b) {
  double largest = 0;
  for (int body = 0; body < 2; ++body) {
    for (int axis = 0; axis < 3; ++axis) {
      largest = std::max({largest, std::abs(a.position[body][axis] - b.position[body][axis]),
                          std::abs(a.velocity[body][axis] - b.velocity[body][axis])});
    }
  }
  return largest;
}

/// The scheme under test, with forces in double precision from the test itself.
template <class Case>
class LeapfrogOn : public OnDevice<Case> {
 protected:
  using Device = typename Case::Device;

  Pair integrate(const Pair& start, double dt, int steps) {
    const TimeGrid grid = TimeGrid::fixed(dt);
    const StepRule rule{StepRule::Mode::fixed, 0.5, softening};
    HostBodies host = random_bodies(2);
    for (int body = 0; body < 2; ++body) {
      const auto vec4 = [](const Vector& v, float w) {
        return Vec4{float(v[0]), float(v[1]), float(v[2]), w};
      };
      host.position[body] = vec4(start.position[body], 0.5F);
      host.velocity[body] = vec4(start.velocity[body], 0);
      host.level[body] = 0;
    }
    host.acceleration = forces(host.position);
    Bodies<Device> bodies = upload<Device>(host);
    typename Device::template Buffer<std::uint32_t> targets(2);
    targets.upload(numbers(2));
    Population population;
    population.move(0, schedule(this->device, bodies, grid, rule, 0, targets.data(), 2));
    for (int step = 1; step <= steps; ++step) {
      const std::int64_t before = step - 1;
      const Population::Due due = population.next(grid, before);
      EXPECT_EQ(due.time, step);
      EXPECT_EQ(due.particles, 2U);
      predict(this->device, bodies, grid, before, due.time);
      bodies.new_acceleration.upload(forces(to_host(bodies.predicted)));
      select_due(this->device, bodies, due.levels, targets.data());
      correct(this->device, bodies, grid, before, due.time, targets.data(), 2);
      population.move(due.levels,
                      schedule(this->device, bodies, grid, rule, due.time, targets.data(), 2));
    }
    const HostBodies end = download(bodies);
    Pair result;
    for (int body = 0; body < 2; ++body) {
      const Vec4 r = end.position[body], v = end.velocity[body];
      result.position[body] = {r.x, r.y, r.z};
      result.velocity[body] = {v.x, v.y, v.z};
    }
    return result;
  }

 private:
  static std::vector<Vec4> forces(const std::vector<Vec4>& position) {
    const auto a = accelerations({Vector{position[0].x, position[0].y, position[0].z},
                                  Vector{position[1].x, position[1].y, position[1].z}});
    std::vector<Vec4> result;
    for (const Vector& v : a) result.push_back({float(v[0]), float(v[1]), float(v[2]), 0});
    return result;
  }
};
TYPED_TEST_SUITE(LeapfrogOn, Devices);

TYPED_TEST(LeapfrogOn, FixedStepIsKickDriftKick) {
  for (const double fraction : {0.5, 1.0, 1.2}) {
    const Pair start = orbit(fraction);
    for (const int steps : {1, 2, 10, 100}) {
      const Pair found = this->integrate(start, 0.05, steps);
      EXPECT_LT(largest_difference(found, kick_drift_kick(start, 0.05, steps)), 2e-6 + 1e-7 * steps)
          << fraction << " after " << steps;
    }
  }
}

TYPED_TEST(LeapfrogOn, TimeCanBeReversed) {
  const Pair start = orbit(0.7);
  Pair middle = this->integrate(start, 0.05, 200);
  EXPECT_GT(largest_difference(start, middle), 0.1);
  for (Vector& v : middle.velocity) v = {-v[0], -v[1], -v[2]};
  Pair end = this->integrate(middle, 0.05, 200);
  for (Vector& v : end.velocity) v = {-v[0], -v[1], -v[2]};
  EXPECT_LT(largest_difference(start, end), 5e-5);
}

TYPED_TEST(LeapfrogOn, CircularOrbitClosesAfterItsPeriod) {
  const double period = 2 * std::numbers::pi / circular_rate();
  const Pair start = orbit(1);
  const Pair end = this->integrate(start, period / 1000, 1000);
  EXPECT_LT(largest_difference(start, end), 1e-4);
  const Pair quarter = this->integrate(start, period / 1000, 250);
  EXPECT_NEAR(quarter.position[0][1], 0.5, 1e-4);
}

TYPED_TEST(LeapfrogOn, ErrorFallsWithTheSquareOfTheStep) {
  const Pair start = orbit(0.7);
  const double time = 4;
  const Pair exact = runge_kutta(start, time, 4000);
  double last = 0;
  for (const int steps : {50, 100, 200, 400}) {
    const double error = largest_difference(this->integrate(start, time / steps, steps), exact);
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.4) << steps;
    }
    last = error;
  }
}

TYPED_TEST(LeapfrogOn, EnergyDoesNotDriftOverManyOrbits) {
  const Pair start = orbit(0.7);
  const double initial = energy(start);
  for (const int steps : {1000, 4000, 16000}) {
    EXPECT_NEAR(energy(this->integrate(start, 0.02, steps)) / initial, 1, 2e-3) << steps;
  }
}

}  // namespace
}  // namespace gothic::test
