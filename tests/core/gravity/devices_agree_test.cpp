#include <gtest/gtest.h>

#include <cmath>

#include "core/engine/engine.hpp"
#include "tests/core/tree/particles.hpp"

/// The same particles on the CPU and on the GPU.
namespace gothic::test {
namespace {

gothic::Particles particles_of(const MassPoints& positions) {
  gothic::Particles particles;
  particles.resize(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec4 p = positions[i];
    particles.id[i] = i + 1;
    particles.mass[i] = p.w;
    particles.position[i] = {p.x, p.y, p.z};
    particles.velocity[i] = {-0.3F * p.y, 0.3F * p.x, 0.1F};
  }
  return particles;
}

/// Groups and leaves that both devices can have.
ForceOptions force_options(Mac mac, std::uint32_t group_size) {
  ForceOptions options;
  options.acceptance = {mac, mac == Mac::opening ? 0.5F : 0x1p-7F, 1};
  options.softening = 1.0F / 64;
  options.root = RootChoice::newton;
  options.leaf_capacity = 16;
  options.group_size = group_size;
  options.split_ratio = 0;
  return options;
}

StepOptions step_options() {
  StepOptions options;
  options.rule = {StepRule::Mode::fixed, 0.5, 1.0 / 64};
  options.fixed_step = 1.0 / 64;
  options.end_time = 0.25;
  return options;
}

/// The results of one device.
struct Result {
  gothic::Particles particles;
  Forces forces;
  ForceCost cost;  ///< cost of the first force
  double time;

  Result(const char* device, const gothic::Particles& start, const ForceOptions& force,
         bool advance)
      : particles(start) {
    const auto simulation = make_engine({device, 2})->simulation(start, 0, force, step_options());
    cost = simulation->facts().first_force;
    while (advance && !simulation->finished()) simulation->step();
    simulation->save(particles, forces);
    time = simulation->time();
  }
};

/// |a - b| / |b| of every particle.
std::vector<double> differences(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double difference2 = 0, size2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
      difference2 += std::pow(double(a[i][axis]) - b[i][axis], 2);
      size2 += std::pow(double(b[i][axis]), 2);
    }
    result.push_back(std::sqrt(difference2 / size2));
  }
  return result;
}

void expect_same_count(std::uint64_t found, std::uint64_t expected) {
  EXPECT_NEAR(double(found), double(expected), 0.01 * double(expected));
}

TEST(DevicesAgree, OnTheForcesOfEveryCriterionAndGroupSize) {
  const gothic::Particles start = particles_of(plummer_sphere(1 << 14));
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const std::uint32_t group_size : {32, 8, 1}) {
      SCOPED_TRACE(std::to_string(int(mac)) + ", groups of " + std::to_string(group_size));
      const ForceOptions options = force_options(mac, group_size);
      const Result cpu("cpu", start, options, false), gpu("cuda", start, options, false);
      expect_same_count(gpu.cost.counts.interactions(), cpu.cost.counts.interactions());
      EXPECT_EQ(gpu.cost.group_count, cpu.cost.group_count);
      const auto difference = differences(gpu.forces.acceleration, cpu.forces.acceleration);
      EXPECT_LT(percentile(difference, 0.99), 1e-5);
      EXPECT_LT(percentile(difference, 1), 0.02) << "rounding may decide on a cell";
      for (std::size_t i = 0; i < start.size(); ++i) {
        ASSERT_NEAR(gpu.forces.potential[i] / cpu.forces.potential[i], 1, 1e-3) << i;
      }
    }
  }
}

TEST(DevicesAgree, OnTheForcesAsFarAsTheCriterionSaysWhereGroupsAreSplit) {
  const gothic::Particles start = particles_of(cuspy_sphere(1 << 14));
  ForceOptions options = force_options(Mac::acceleration, 32);
  const Result cpu("cpu", start, options, false);
  options.split_ratio = ForceOptions().split_ratio;
  ASSERT_GT(options.split_ratio, 0);
  const Result gpu("cuda", start, options, false);
  EXPECT_LT(gpu.cost.counts.interactions(), 1.01 * double(cpu.cost.counts.interactions()));
  const auto difference = differences(gpu.forces.acceleration, cpu.forces.acceleration);
  EXPECT_LT(percentile(difference, 0.99), 2 * options.acceptance.accuracy);
}

TEST(DevicesAgree, OnWhereParticlesAreAfterSomeSteps) {
  const gothic::Particles start = particles_of(plummer_sphere(1 << 13));
  const ForceOptions options = force_options(Mac::acceleration, 32);
  const Result cpu("cpu", start, options, true), gpu("cuda", start, options, true);
  EXPECT_EQ(gpu.time, cpu.time);
  const auto& found = gpu.particles;
  const auto& expected = cpu.particles;
  EXPECT_LT(percentile(differences(found.position, start.position), 0.5), 0.3);
  EXPECT_GT(percentile(differences(found.position, start.position), 0.5), 0.01);
  EXPECT_LT(percentile(differences(found.position, expected.position), 0.99), 1e-4);
  EXPECT_LT(percentile(differences(found.velocity, expected.velocity), 0.99), 1e-3);
}

}  // namespace
}  // namespace gothic::test
