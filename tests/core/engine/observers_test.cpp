#include <cmath>
#include <numbers>

#include "core/device/combine.hpp"
#include "core/engine/simulation_on.hpp"
#include "tests/core/device/devices.hpp"

#ifndef __CUDACC__
#include "tests/core/messages/threads_as_ranks.hpp"
#endif

/// An observer that only this test has, of particles whose future is known.
namespace gothic::test {

/// The second moment of the angle about z: its size and the angle of the bar that it shows.
struct Bar {
  std::int64_t step = 0;
  double time = 0;
  double strength = 0, angle = 0;
};

struct BarSums {
  double cosine = 0, sine = 0, mass = 0;

  GOTHIC_HD friend BarSums operator+(const BarSums& a, const BarSums& b) {
    return {a.cosine + b.cosine, a.sine + b.sine, a.mass + b.mass};
  }
};

template <class Device>
Bar bar(const ParticlesView<Device>& particles) {
  const Vec4* const position = particles.position;
  const BarSums sums = particles.reduce(
      BarSums{},
      [=] GOTHIC_DEVICE(std::size_t i) {
        const double x = position[i].x, y = position[i].y, m = position[i].w, r2 = x * x + y * y;
        return BarSums{m * (x * x - y * y) / r2, m * 2 * x * y / r2, m};
      },
      Sum{});
  return {particles.step, particles.time, std::hypot(sums.cosine, sums.sine) / sums.mass,
          std::atan2(sums.sine, sums.cosine) / 2};
}

template <class Device>
ObserverOf<ParticlesView<Device>> bar_observer() {
  return observer<ParticlesView<Device>>(
      "bar", "a row whenever all particles are at one time",
      std::vector<ColumnOf<Bar>>{{"step", "", "steps so far", [](const Bar& b) { return b.step; }},
                                 {"time", "time", "that time", [](const Bar& b) { return b.time; }},
                                 {"strength", "", "A2", [](const Bar& b) { return b.strength; }},
                                 {"angle", "rad", "phase", [](const Bar& b) { return b.angle; }}},
      bar<Device>);
}

constexpr std::size_t ring_size = 360;
constexpr double ring_strength = 0.4, ring_angle = 0.3, angular_speed = 0.5, start_time = 2;

/// A ring of radius 1, with masses 1 + 2 A cos 2(phi - phi_0). Its particles move along tangents,
/// since they hardly pull each other: after a time t their angles are larger by atan(w t).
Particles ring(std::size_t first = 0, std::size_t end = ring_size) {
  Particles particles;
  particles.resize(end - first);
  for (std::size_t k = first; k < end; ++k) {
    const std::size_t i = k - first;
    const double angle = 2 * std::numbers::pi * double(k) / ring_size;
    const double x = std::cos(angle), y = std::sin(angle);
    particles.mass[i] = float(1e-9 * (1 + 2 * ring_strength * std::cos(2 * (angle - ring_angle))));
    particles.position[i] = {float(x), float(y), 0};
    particles.velocity[i] = {float(-angular_speed * y), float(angular_speed * x), 0};
    particles.id[i] = k;
  }
  return particles;
}

ForceOptions ring_forces() {
  ForceOptions force;
  force.acceptance = {Mac::opening, 0.5F, 1};
  force.softening = 0.1;
  return force;
}

StepOptions ring_steps() {
  StepOptions steps;
  steps.rule.mode = StepRule::Mode::fixed;
  steps.fixed_step = 0.25;
  return steps;
}

void expect_ring(const Measurement& measurement, std::int64_t step) {
  const Bar found = std::any_cast<Bar>(measurement.found);
  const double elapsed = double(step) * 0.25;
  EXPECT_EQ(found.step, step);
  EXPECT_EQ(found.time, start_time + elapsed);
  EXPECT_NEAR(found.strength, ring_strength, 1e-6);
  EXPECT_NEAR(found.angle, ring_angle + std::atan(angular_speed * elapsed), 1e-6);
  const std::vector<Row> rows = {{found.step, found.time, found.strength, found.angle}};
  EXPECT_EQ(measurement.rows, rows);
}

template <class Case>
class ObserverOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(ObserverOn, Devices);

TYPED_TEST(ObserverOn, SeesTheRingAsItTurns) {
  using Device = typename TestFixture::Device;
  const auto observer = bar_observer<Device>();
  SimulationOn<Device> simulation(this->device.another(), ring(), start_time, ring_forces(),
                                  ring_steps());
  expect_ring(simulation.measure(observer), 0);
  for (int step = 1; step <= 3; ++step) {
    simulation.step();
    expect_ring(simulation.measure(observer), step);
  }
}

TYPED_TEST(ObserverOn, GoesOnAfterARestart) {
  using Device = typename TestFixture::Device;
  const auto observer = bar_observer<Device>();
  SimulationOn<Device> first(this->device.another(), ring(), start_time, ring_forces(),
                             ring_steps());
  first.step();
  first.step();
  SimulationOn<Device> second(this->device.another(), ring(), first.state(), ring_forces(),
                              ring_steps());
  expect_ring(second.measure(observer), 2);
  second.step();
  expect_ring(second.measure(observer), 3);
}

TYPED_TEST(ObserverOn, OfTheTableIsFoundByItsName) {
  using Device = typename TestFixture::Device;
  SimulationOn<Device> simulation(this->device.another(), ring(), start_time, ring_forces(),
                                  ring_steps());
  simulation.step();
  for (const Observer& observer : particle_observers()) {
    const Measurement measurement = simulation.measure(observer.name);
    for (const Row& row : measurement.rows) {
      EXPECT_EQ(row.size(), observer.columns.size()) << observer.name;
      EXPECT_EQ(row.at(0), Value(std::int64_t(1))) << observer.name;
      EXPECT_EQ(row.at(1), Value(start_time + 0.25)) << observer.name;
    }
  }
  EXPECT_THROW(simulation.measure("none"), std::invalid_argument);
}

#ifndef __CUDACC__
TEST(ObserverOnRanks, SeesTheParticlesOfAll) {
  for (const int count : {2, 3, 8}) {
    SCOPED_TRACE(std::to_string(count) + " ranks");
    on_ranks(count, [&](Communicator& ranks) {
      const auto own = std::size_t(ranks.rank()), all = std::size_t(count);
      SimulationOn<cpu::Device> simulation(cpu::Device({.threads = 1}),
                                           ring(ring_size * own / all, ring_size * (own + 1) / all),
                                           start_time, ring_forces(), ring_steps(), ranks);
      const auto observer = bar_observer<cpu::Device>();
      expect_ring(simulation.measure(observer), 0);
      for (int step = 1; step <= 3; ++step) {
        simulation.step();
        expect_ring(simulation.measure(observer), step);
      }
    });
  }
}
#endif

}  // namespace gothic::test
