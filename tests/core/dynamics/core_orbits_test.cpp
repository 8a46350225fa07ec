#include <cmath>
#include <random>

#include "fixtures.hpp"

/// Orbits through the core of a fixed potential, where block steps must not add energy.
namespace gothic::test {
namespace {

/// A softened sphere of Hernquist (1990), in units of its scale: phi = -1 / (1 + s) with s^2 = r^2
/// + eps^2.
constexpr double softening_of_core = 0.025;

double softened(const Vec4& r) {
  return std::sqrt(double(r.x) * r.x + double(r.y) * r.y + double(r.z) * r.z +
                   softening_of_core * softening_of_core);
}

std::vector<Vec4> accelerations(const std::vector<Vec4>& position) {
  std::vector<Vec4> result;
  for (const Vec4& r : position) {
    const double s = softened(r), pull = 1 / (s * (1 + s) * (1 + s));
    result.push_back(
        {float(-pull * r.x), float(-pull * r.y), float(-pull * r.z), float(-1 / (1 + s))});
  }
  return result;
}

double kinetic(const Vec4& v) {
  return (double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z) / 2;
}

/// The innermost tenth of the sphere, with a velocity dispersion near the one in equilibrium.
HostBodies innermost_tenth(std::size_t n) {
  HostBodies bodies = random_bodies(n);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> mass(0, 0.1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < n; ++i) {
    Vec4 &r = bodies.position[i], &v = bodies.velocity[i];
    const double root = std::sqrt(mass(random)), radius = root / (1 - root);
    const double stretch = radius / std::sqrt(2 * kinetic(r));
    r = {float(stretch * r.x), float(stretch * r.y), float(stretch * r.z), 1};
    const auto speed = [&] { return float(0.3 * normal(random)); };
    v = {speed(), speed(), speed(), 0};
  }
  bodies.acceleration = accelerations(bodies.position);
  return bodies;
}

template <class Case>
class CoreOrbitsOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(CoreOrbitsOn, Devices);

/// With steps from the acceleration alone the energy rises by 1.7e-4 of the kinetic energy in a
/// unit of time.
TYPED_TEST(CoreOrbitsOn, KeepTheirEnergy) {
  using Device = typename TypeParam::Device;
  constexpr std::size_t n = 4000;
  constexpr double time = 16;
  const HostBodies start = innermost_tenth(n);
  const auto held = upload<Device>(start);
  Bodies<Device>& bodies = *held;
  auto targets = to_device<Device>(numbers(n));
  const StepRule rule{StepRule::Mode::block, 0.5, softening_of_core};
  TimeGrid grid = TimeGrid::adaptive(1.0);
  grid.end = std::int64_t(time / grid.tick);
  Population population;
  std::int64_t now = 0;
  population.move(0, schedule(this->device, bodies, grid, rule, now, targets.data(), n).get());
  while (now < grid.end) {
    const std::int64_t before = now;
    const Population::Due due = population.next(grid, before);
    now = due.time;
    predict(this->device, bodies, grid, before, now);
    bodies.new_acceleration.upload(accelerations(to_host(bodies.predicted)));
    select_due(this->device, bodies, due.levels, targets.data());
    const auto next =
        advance(this->device, bodies, grid, rule, before, now, targets.data(), due.particles);
    population.move(due.levels, next.get());
  }
  const HostBodies end = download(bodies);
  double before = 0, after = 0, motion = 0;
  for (std::size_t i = 0; i < n; ++i) {
    before += kinetic(start.velocity[i]) - 1 / (1 + softened(start.position[i]));
    after += kinetic(end.velocity[i]) - 1 / (1 + softened(end.position[i]));
    motion += kinetic(start.velocity[i]);
  }
  EXPECT_NEAR((after - before) / motion / time, 0, 8e-5);
}

}  // namespace
}  // namespace gothic::test
