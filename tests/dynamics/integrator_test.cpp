#include "dynamics/integrator.hpp"

#include <algorithm>

#include "fixtures.hpp"

namespace gothic::test {
namespace {

constexpr std::int64_t now = 1 << 10;
constexpr double softening = 0.05;

template <class Case>
class IntegratorOn : public OnDevice<Case> {
 protected:
  using Device = typename Case::Device;
  static constexpr std::size_t sizes[] = {1, 2, 33, 1000, 10000};
  const TimeGrid grid{0x1p-10, 1 << 7};

  static std::vector<std::uint32_t> due_of(const HostBodies& bodies) {
    std::vector<std::uint32_t> due;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      if (bodies.clock[i].due == now) due.push_back(i);
    }
    return due;
  }

  /// The wish of a particle, from the formula of the step.
  static double wish(const Vec4& a, double eta) {
    const double size = std::sqrt(double(a.x) * a.x + double(a.y) * a.y + double(a.z) * a.z);
    return eta * std::sqrt(softening / size);
  }

  HostBodies scheduled(const HostBodies& before, const StepRule& rule,
                       const std::vector<std::uint32_t>& targets) {
    Bodies<Device> bodies = upload<Device>(before);
    const auto on_device = to_device<Device>(targets);
    schedule(this->device, bodies, grid, rule, now, on_device.data(),
             std::uint32_t(targets.size()));
    return download(bodies);
  }
};
TYPED_TEST_SUITE(IntegratorOn, Devices);

TYPED_TEST(IntegratorOn, NextDueIsTheEarliest) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : this->sizes) {
    const HostBodies host = random_bodies(n);
    std::int64_t earliest = host.clock[0].due;
    for (const Clock& clock : host.clock) earliest = std::min(earliest, clock.due);
    EXPECT_EQ(next_due(this->device, upload<Device>(host)), earliest);
  }
}

TYPED_TEST(IntegratorOn, PredictsEveryParticleFromItsOwnTime) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : this->sizes) {
    const HostBodies before = random_bodies(n);
    Bodies<Device> bodies = upload<Device>(before);
    predict(this->device, bodies, this->grid, now);
    const HostBodies after = download(bodies);
    for (std::size_t i = 0; i < n; ++i) {
      const double dt = double(now - before.clock[i].last) * 0x1p-10;
      const Vec4 r = before.position[i], v = before.velocity[i], a = before.acceleration[i];
      EXPECT_NEAR(after.predicted[i].x, r.x + v.x * dt + a.x * dt * dt / 2, 1e-6);
      EXPECT_NEAR(after.predicted[i].y, r.y + v.y * dt + a.y * dt * dt / 2, 1e-6);
      EXPECT_NEAR(after.predicted[i].z, r.z + v.z * dt + a.z * dt * dt / 2, 1e-6);
      EXPECT_EQ(after.predicted[i].w, r.w);
      expect_equal(after.position[i], r);
      expect_equal(after.velocity[i], v);
    }
  }
}

TYPED_TEST(IntegratorOn, SelectsThoseThatAreDueInOrder) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : this->sizes) {
    const HostBodies host = random_bodies(n);
    const Bodies<Device> bodies = upload<Device>(host);
    typename Device::template Buffer<std::uint32_t> targets(n), offset(n);
    const std::uint32_t count =
        select_due(this->device, bodies, now, targets.data(), offset.data());
    std::vector<std::uint32_t> found = to_host(targets);
    found.resize(count);
    EXPECT_EQ(found, this->due_of(host));
  }
}

TYPED_TEST(IntegratorOn, CorrectsTheTargetsAndNobodyElse) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : this->sizes) {
    const HostBodies before = random_bodies(n);
    Bodies<Device> bodies = upload<Device>(before);
    const std::vector<std::uint32_t> targets = this->due_of(before);
    const auto on_device = to_device<Device>(targets);
    correct(this->device, bodies, this->grid, now, on_device.data(), std::uint32_t(targets.size()));
    const HostBodies after = download(bodies);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Vec4 v = before.velocity[i], a = before.acceleration[i], b = before.new_acceleration[i];
      if (!std::binary_search(targets.begin(), targets.end(), i)) {
        expect_equal(after.position[i], before.position[i]);
        expect_equal(after.velocity[i], v);
        expect_equal(after.acceleration[i], a);
        expect_equal(after.clock[i], before.clock[i]);
        continue;
      }
      const double half = double(now - before.clock[i].last) * 0x1p-11;
      EXPECT_NEAR(after.velocity[i].x, v.x + half * (double(a.x) + b.x), 1e-6);
      EXPECT_NEAR(after.velocity[i].y, v.y + half * (double(a.y) + b.y), 1e-6);
      EXPECT_NEAR(after.velocity[i].z, v.z + half * (double(a.z) + b.z), 1e-6);
      expect_equal(after.position[i], before.predicted[i]);
      expect_equal(after.acceleration[i], b);
      EXPECT_EQ(after.clock[i].last, now);
    }
  }
}

TYPED_TEST(IntegratorOn, BlockStepsAreEachParticlesOwn) {
  for (const double eta : {0.01, 0.1, 0.5}) {
    const HostBodies before = random_bodies(5000);
    const std::vector<std::uint32_t> targets = this->due_of(before);
    const HostBodies after =
        this->scheduled(before, {StepRule::Mode::block, eta, softening}, targets);
    for (std::uint32_t i = 0; i < before.size(); ++i) {
      if (!std::binary_search(targets.begin(), targets.end(), i)) {
        expect_equal(after.clock[i], before.clock[i]);
        continue;
      }
      const double step = this->grid.time(after.clock[i].due - now);
      const double wish = this->wish(before.acceleration[i], eta);
      const double longest = this->grid.time(this->grid.largest);
      EXPECT_LE(step, std::max(wish * 1.000001, this->grid.tick));
      EXPECT_GT(2.000001 * step, std::min(wish, longest)) << "now is a multiple of every step";
    }
  }
}

TYPED_TEST(IntegratorOn, SharedStepIsTheShortestOfAll) {
  HostBodies before = random_bodies(5000);
  for (Clock& clock : before.clock) clock = {now - 1, now};
  const StepRule rule{StepRule::Mode::shared, 0.1, softening};
  const HostBodies after = this->scheduled(before, rule, numbers(5000));
  double shortest = 1e30;
  for (const Vec4& a : before.acceleration) shortest = std::min(shortest, this->wish(a, 0.1));
  const std::int64_t step = after.clock[0].due - now;
  EXPECT_LE(this->grid.time(step), shortest);
  EXPECT_GT(2 * this->grid.time(step), shortest);
  for (const Clock& clock : after.clock) EXPECT_EQ(clock.due - now, step);
}

TYPED_TEST(IntegratorOn, FixedStepIsOneTickWhateverTheAcceleration) {
  const HostBodies before = random_bodies(5000);
  const StepRule rule{StepRule::Mode::fixed, 0.1, softening};
  const HostBodies after = this->scheduled(before, rule, numbers(5000));
  for (const Clock& clock : after.clock) EXPECT_EQ(clock.due, now + 1);
}

TYPED_TEST(IntegratorOn, ParticleWithoutAccelerationTakesTheLongestStep) {
  HostBodies before = random_bodies(10);
  before.acceleration[4] = {};
  const StepRule rule{StepRule::Mode::block, 0.5, softening};
  const HostBodies after = this->scheduled(before, rule, {4});
  EXPECT_EQ(after.clock[4].due, now + this->grid.largest);
}

}  // namespace
}  // namespace gothic::test
