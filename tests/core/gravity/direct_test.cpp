#include "core/gravity/direct.hpp"

#include <gtest/gtest.h>

#include "tests/core/gravity/forces.hpp"

namespace gothic {
namespace {

using namespace test;

template <class Case>
class DirectSums : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  template <Root root>
  std::vector<Vec4> in_single(const Particles& particles, const std::vector<std::uint32_t>& targets,
                              double gravity = 1) {
    return run<Vec4>(
        particles, targets, [&](const Vec4* position, const std::uint32_t* chosen, Vec4* out) {
          direct_forces<root>(this->device, position, std::uint32_t(particles.size()), chosen,
                              std::uint32_t(targets.size()), gravity, softening, out);
        });
  }

  std::vector<Force> in_double(const Particles& particles,
                               const std::vector<std::uint32_t>& targets, double gravity = 1) {
    return run<Force>(
        particles, targets, [&](const Vec4* position, const std::uint32_t* chosen, Force* out) {
          direct_forces(this->device, position, std::uint32_t(particles.size()), chosen,
                        std::uint32_t(targets.size()), gravity, softening, out);
        });
  }

 private:
  template <class Out, class Compute>
  std::vector<Out> run(const Particles& particles, const std::vector<std::uint32_t>& targets,
                       Compute compute) {
    const auto position = to_device<Device>(particles);
    const auto chosen = to_device<Device>(targets);
    typename Device::template Buffer<Out> out(targets.size());
    compute(position.data(), chosen.data(), out.data());
    this->device.synchronize();
    return to_host(out);
  }
};
TYPED_TEST_SUITE(DirectSums, Devices);

std::vector<std::uint32_t> random_targets(std::size_t count, std::size_t n) {
  Random random(6);
  std::vector<std::uint32_t> targets(count);
  for (std::uint32_t& target : targets) target = random.below(std::uint32_t(n));
  return targets;
}

/// Numbers of targets about the width of a warp's task, of floats and of doubles.
template <class Warp>
std::vector<std::size_t> target_counts() {
  std::vector<std::size_t> result{0, 1, 2, 300};
  for (const std::size_t w : {Warp::width, Warp::double_width}) {
    for (const std::size_t n :
         {w - 1, w, w + 1, 2 * w - 1, 2 * w, 2 * w + 1, 3 * w, 4 * w, 4 * w + 1}) {
      result.push_back(n);
    }
  }
  return result;
}

TYPED_TEST(DirectSums, InDoublePrecisionAgreeWithAPlainLoop) {
  for (const std::size_t n : {1, 2, 100, 3000}) {
    const Particles particles = cuspy_sphere(n);
    for (const std::size_t count : target_counts<typename TestFixture::Warp>()) {
      const auto targets = random_targets(count, n);
      const auto found = this->in_double(particles, targets, 43007.1);
      const auto expected = summed(particles, targets, 43007.1);
      for (std::size_t i = 0; i < count; ++i) {
        // What rounds is the particle's own share of the potential, before it is taken out.
        const double unit = 43007.1 / (n * double(softening));
        const double tolerance = 1e-13 * (length(expected[i]) + unit / softening);
        ASSERT_NEAR(found[i].x, expected[i].x, tolerance) << count << " targets of " << n;
        ASSERT_NEAR(found[i].y, expected[i].y, tolerance) << count << " targets of " << n;
        ASSERT_NEAR(found[i].z, expected[i].z, tolerance) << count << " targets of " << n;
        ASSERT_NEAR(found[i].potential, expected[i].potential,
                    1e-13 * (std::abs(expected[i].potential) + unit));
      }
    }
  }
}

TYPED_TEST(DirectSums, InSinglePrecisionAgreeWithAPlainLoop) {
  for (const std::size_t n : {2, 100, 3000}) {
    const Particles particles = cuspy_sphere(n);
    for (const std::size_t count : target_counts<typename TestFixture::Warp>()) {
      const auto targets = random_targets(count, n);
      const auto found = this->template in_single<Root::newton>(particles, targets, 43007.1);
      const auto expected = summed(particles, targets, 43007.1);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_LT(error_of(found[i], expected[i]), 2e-5) << count << " targets of " << n;
        ASSERT_NEAR(found[i].w, expected[i].potential,
                    2e-6 * (std::abs(expected[i].potential) + 43007.1 / (n * softening)));
      }
    }
  }
}

TYPED_TEST(DirectSums, InSinglePrecisionStaySmoothOverManySources) {
  const Particles particles = plummer_sphere(100000);
  const auto targets = random_targets(200, particles.size());
  const auto reference = this->in_double(particles, targets);
  const auto errors =
      errors_of(this->template in_single<Root::newton>(particles, targets), reference);
  EXPECT_LT(percentile(errors, 0.5), 1e-6);
  EXPECT_LT(percentile(errors, 1), 1e-5);
}

TYPED_TEST(DirectSums, OfOneParticleVanish) {
  const Particles one{{3, 4, 5, 0.5F}};
  const auto found = this->in_double(one, {0});
  EXPECT_EQ(length(found[0]), 0);
  EXPECT_NEAR(found[0].potential, 0, 1e-13);
  const auto single = this->template in_single<Root::newton>(one, {0});
  EXPECT_EQ(single[0].x, 0);
  EXPECT_NEAR(single[0].w, 0, 1e-6 * 0.5 / softening);
}

/// Mean of (found - expected) / expected.
double mean_excess(const std::vector<double>& found, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) sum += found[i] / expected[i] - 1;
  return sum / double(found.size());
}

TYPED_TEST(DirectSums, OfTheEstimatedRootHaveNoMeanError) {
  const Particles particles = plummer_sphere(20000);
  const auto targets = random_targets(2000, particles.size());
  const auto reference = this->in_double(particles, targets);
  const auto found = this->template in_single<Root::estimate>(particles, targets);
  std::vector<double> a, exact_a, phi, exact_phi;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    a.push_back(std::hypot(found[i].x, found[i].y, found[i].z));
    exact_a.push_back(length(reference[i]));
    phi.push_back(found[i].w);
    exact_phi.push_back(reference[i].potential);
  }
  EXPECT_LT(std::abs(mean_excess(a, exact_a)), 5e-6);
  EXPECT_LT(std::abs(mean_excess(phi, exact_phi)), 5e-6);
  // Where the estimate is exact, what is left is the rounding of the sums.
  const double root_error = TestFixture::Warp::root_error;
  EXPECT_LT(percentile(errors_of(found, reference), 0.5), std::max(root_error / 12, 1e-6));
  EXPECT_LT(percentile(errors_of(found, reference), 0.99), std::max(root_error, 5e-6));
}

}  // namespace
}  // namespace gothic
