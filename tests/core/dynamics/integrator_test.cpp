#include "core/dynamics/integrator.hpp"

#include <algorithm>

#include "fixtures.hpp"

namespace gothic::test {
namespace {

/// A step of the system from tick `before` to tick `now`, at which the levels 3 and 4 are due.
constexpr std::int64_t before_now = 1000, now = 1008;
constexpr std::uint64_t due_levels = 1 << 3 | 1 << 4;
/// A tick at which every step may begin.
constexpr std::int64_t meeting = 1 << 10;
constexpr double softening = 0.05;

/// The tick at which a particle of a level was synchronised last: its steps counted from 0.
std::int64_t last_of(int level, std::int64_t time) {
  const std::int64_t step = std::int64_t(1) << level;
  return time / step * step;
}

template <class Case>
class IntegratorOn : public OnDevice<Case> {
 protected:
  using Device = typename Case::Device;
  const TimeGrid grid{0x1p-10, 7};

  static std::vector<std::size_t> counts() { return {1, 2, 33, 1000, 10000}; }

  static std::vector<std::uint32_t> due_of(const HostBodies& bodies, std::uint64_t levels) {
    std::vector<std::uint32_t> due;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      if ((levels >> bodies.level[i] & 1) != 0) due.push_back(i);
    }
    return due;
  }

  /// The step that particle i wants, from the formula.
  static double wish(const HostBodies& bodies, std::size_t i, double eta) {
    const Vec4 a = bodies.acceleration[i];
    const double present = double(a.x) * a.x + double(a.y) * a.y + double(a.z) * a.z;
    const double strongest = std::max(present, double(bodies.velocity[i].w));
    return eta * std::sqrt(softening / std::sqrt(strongest));
  }

  /// Schedules the targets, and expects counts that agree with their levels.
  HostBodies scheduled(const HostBodies& before, const StepRule& rule, std::int64_t time,
                       const std::vector<std::uint32_t>& targets) {
    const auto held = upload<Device>(before);
    Bodies<Device>& bodies = *held;
    const auto on_device = to_device<Device>(targets);
    const Population::Counts counts = schedule(this->device, bodies, grid, rule, time,
                                               on_device.data(), std::uint32_t(targets.size()))
                                          .get();
    HostBodies after = download(bodies);
    Population::Counts expected{};
    for (const std::uint32_t i : targets) ++expected.at(after.level[i]);
    EXPECT_EQ(counts, expected);
    return after;
  }
};
TYPED_TEST_SUITE(IntegratorOn, Devices);

TYPED_TEST(IntegratorOn, PredictsEveryParticleFromItsOwnTime) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : this->counts()) {
    const HostBodies before = random_bodies(n);
    const auto held = upload<Device>(before);
    Bodies<Device>& bodies = *held;
    predict(this->device, bodies, this->grid, before_now, now);
    const HostBodies after = download(bodies);
    for (std::size_t i = 0; i < n; ++i) {
      const double dt = double(now - last_of(before.level[i], before_now)) * 0x1p-10;
      const Vec4 r = before.position[i], v = before.velocity[i], a = before.acceleration[i];
      EXPECT_NEAR(after.predicted[i].x, r.x + v.x * dt + a.x * dt * dt / 2, 2e-6);
      EXPECT_NEAR(after.predicted[i].y, r.y + v.y * dt + a.y * dt * dt / 2, 2e-6);
      EXPECT_NEAR(after.predicted[i].z, r.z + v.z * dt + a.z * dt * dt / 2, 2e-6);
      EXPECT_EQ(after.predicted[i].w, r.w);
    }
    EXPECT_EQ(after.position, before.position);
    EXPECT_EQ(after.velocity, before.velocity);
    EXPECT_EQ(after.level, before.level);
  }
}

TYPED_TEST(IntegratorOn, SelectsThoseOfTheLevelsInOrder) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : this->counts()) {
    HostBodies host = random_bodies(n);
    host.level[n / 2] = Population::levels - 1;  // beyond the bits of an int
    const auto held = upload<Device>(host);
    const Bodies<Device>& bodies = *held;
    typename Device::template Buffer<std::uint32_t> targets(n);
    const std::uint64_t highest = std::uint64_t(1) << (Population::levels - 1);
    for (const std::uint64_t levels : {due_levels, highest, std::uint64_t(1) << 7, ~highest,
                                       ~std::uint64_t(0), std::uint64_t(0)}) {
      select_due(this->device, bodies, levels, targets.data());
      this->device.synchronize();
      const std::vector<std::uint32_t> expected = this->due_of(host, levels);
      std::vector<std::uint32_t> found = to_host(targets);
      found.resize(expected.size());
      EXPECT_EQ(found, expected) << levels;
    }
  }
}

TYPED_TEST(IntegratorOn, SelectsAllThatAdvanceTogetherWithOneThatIsDue) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : {1, 2, 33, 1000}) {
    const HostBodies host = random_bodies(n);
    const auto held = upload<Device>(host);
    const Bodies<Device>& bodies = *held;
    typename Device::template Buffer<std::uint32_t> targets(n), scratch;
    for (const std::uint32_t together : {1U, 4U, 32U}) {
      for (const std::uint64_t levels : {std::uint64_t(1) << 7, due_levels, std::uint64_t(0)}) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < n; ++i) {
          bool due = false;
          for (std::uint32_t k = 0; k < n; ++k) {
            if (k / together == i / together) due = due || (levels >> host.level[k] & 1) != 0;
          }
          if (due) expected.push_back(i);
        }
        const std::uint32_t count =
            select_due_together(this->device, bodies, levels, together, scratch, targets.data());
        ASSERT_EQ(count, expected.size());
        std::vector<std::uint32_t> found = to_host(targets);
        found.resize(expected.size());
        EXPECT_EQ(found, expected) << together;
      }
    }
  }
}

TYPED_TEST(IntegratorOn, CorrectsTheTargetsAndNobodyElse) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : this->counts()) {
    const HostBodies before = random_bodies(n);
    const auto held = upload<Device>(before);
    Bodies<Device>& bodies = *held;
    const std::vector<std::uint32_t> targets = this->due_of(before, due_levels);
    const auto on_device = to_device<Device>(targets);
    constexpr float fading = 0.25F;
    correct(this->device, bodies, this->grid, before_now, now, fading, on_device.data(),
            std::uint32_t(targets.size()));
    const HostBodies after = download(bodies);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Vec4 v = before.velocity[i], a = before.acceleration[i], b = before.new_acceleration[i];
      EXPECT_EQ(after.level[i], before.level[i]);
      if (!std::binary_search(targets.begin(), targets.end(), i)) {
        EXPECT_EQ(after.position[i], before.position[i]);
        EXPECT_EQ(after.velocity[i], v);
        EXPECT_EQ(after.acceleration[i], a);
        continue;
      }
      const double half = double(now - last_of(before.level[i], before_now)) * 0x1p-11;
      EXPECT_NEAR(after.velocity[i].x, v.x + half * (double(a.x) + b.x), 1e-6);
      EXPECT_NEAR(after.velocity[i].y, v.y + half * (double(a.y) + b.y), 1e-6);
      EXPECT_NEAR(after.velocity[i].z, v.z + half * (double(a.z) + b.z), 1e-6);
      const double present = double(b.x) * b.x + double(b.y) * b.y + double(b.z) * b.z;
      const double remembered = std::max(present, 0.75 * v.w + 0.25 * present);
      EXPECT_NEAR(after.velocity[i].w, remembered, 1e-6 * remembered);
      EXPECT_EQ(after.position[i], before.predicted[i]);
      EXPECT_EQ(after.acceleration[i], b);
    }
  }
}

TYPED_TEST(IntegratorOn, BlockStepsAreEachParticlesOwn) {
  const HostBodies before = random_bodies(5000);
  const std::vector<std::uint32_t> targets = this->due_of(before, due_levels);
  ASSERT_GT(targets.size(), 1000U);
  for (const std::int64_t time : {meeting, now}) {
    // The longest step that may begin at the time: 2^7 ticks at the meeting, else 2^4.
    const double longest = (time == meeting ? 128 : 16) * 0x1p-10;
    for (const double eta : {0.01, 0.1, 0.5}) {
      const HostBodies after =
          this->scheduled(before, {StepRule::Mode::block, eta, softening}, time, targets);
      for (std::uint32_t i = 0; i < before.size(); ++i) {
        if (!std::binary_search(targets.begin(), targets.end(), i)) {
          EXPECT_EQ(after.level[i], before.level[i]);
          continue;
        }
        const double step = std::ldexp(1.0, after.level[i] - 10);
        const double wish = this->wish(before, i, eta);
        EXPECT_LE(step, std::max(wish * 1.000001, this->grid.tick));
        EXPECT_LE(step, longest);
        EXPECT_GT(2.000001 * step, std::min(wish, longest));
      }
    }
  }
}

TYPED_TEST(IntegratorOn, SharedStepIsTheShortestOfAllAndAFixedOneATick) {
  const HostBodies before = random_bodies(5000);
  double shortest = 1e30;
  for (std::size_t i = 0; i < 5000; ++i) shortest = std::min(shortest, this->wish(before, i, 0.1));
  const auto levels = [&](StepRule::Mode mode) {
    return this->scheduled(before, {mode, 0.1, softening}, meeting, numbers(5000)).level;
  };
  const auto shared = levels(StepRule::Mode::shared);
  const double step = std::ldexp(1.0, shared[0] - 10);
  EXPECT_LE(step, shortest);
  EXPECT_GT(2 * step, shortest);
  EXPECT_EQ(shared, std::vector<std::uint8_t>(5000, shared[0]));
  EXPECT_EQ(levels(StepRule::Mode::fixed), std::vector<std::uint8_t>(5000, 0));
}

TYPED_TEST(IntegratorOn, ParticleWithoutAccelerationTakesTheLongestStep) {
  HostBodies before = random_bodies(10);
  before.acceleration[4] = {};
  before.velocity[4].w = 0;
  const StepRule rule{StepRule::Mode::block, 0.5, softening};
  EXPECT_EQ(int(this->scheduled(before, rule, meeting, {4}).level[4]), this->grid.top);
}

TYPED_TEST(IntegratorOn, LongestStepIsThatOfTheSmallestAcceleration) {
  for (const std::size_t n : this->counts()) {
    const HostBodies host = random_bodies(n);
    double longest = 0;
    for (std::size_t i = 0; i < n; ++i) longest = std::max(longest, this->wish(host, i, 0.3));
    const StepRule rule{StepRule::Mode::block, 0.3, softening};
    const auto held = upload<typename TypeParam::Device>(host);
    const auto& bodies = *held;
    EXPECT_NEAR(longest_step(this->device, bodies, rule), longest, 1e-6 * longest);
  }
}

}  // namespace
}  // namespace gothic::test
