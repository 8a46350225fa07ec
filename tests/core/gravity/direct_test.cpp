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

  /// Forces on targets, in double precision if Out is Force.
  template <class Out, Root... root>
  std::vector<Out> sums(const MassPoints& particles, const std::vector<std::uint32_t>& targets,
                        double gravity = 1) {
    const auto position = to_device<Device>(particles);
    const auto chosen = to_device<Device>(targets);
    typename Device::template Buffer<Out> out(targets.size());
    const SumTargets own{position.data(), nullptr, chosen.data(), std::uint32_t(targets.size())};
    direct_forces<root...>(this->device, position.data(), nullptr, std::uint32_t(particles.size()),
                           own, gravity, softening, out.data());
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

/// Numbers of targets around the width of a warp's task, for floats and for doubles.
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

TYPED_TEST(DirectSums, AgreeWithAPlainLoop) {
  constexpr double gravity = 43007.1;
  for (const std::size_t n : {1, 2, 100, 3000}) {
    const MassPoints particles = cuspy_sphere(n);
    // The rounding is the one of the particle's own potential, which is taken out.
    const double own = gravity / (double(n) * softening);
    for (const std::size_t count : target_counts<typename TestFixture::Warp>()) {
      const auto targets = random_targets(count, n);
      const auto expected = summed(particles, targets, gravity);
      const auto found = this->template sums<Force>(particles, targets, gravity);
      const auto single = this->template sums<Vec4, Root::newton>(particles, targets, gravity);
      for (std::size_t i = 0; i < count; ++i) {
        const Force e = expected[i], a = found[i];
        const double size = length(e) + own / softening;
        ASSERT_LT(std::hypot(a.x - e.x, a.y - e.y, a.z - e.z), 1e-13 * size);
        ASSERT_NEAR(a.potential, e.potential, 1e-13 * (std::abs(e.potential) + own));
        ASSERT_LE(length({single[i].x - e.x, single[i].y - e.y, single[i].z - e.z}),
                  2e-5 * length(e));
        ASSERT_NEAR(single[i].w, e.potential, 2e-6 * (std::abs(e.potential) + own));
      }
    }
  }
}

TYPED_TEST(DirectSums, InSinglePrecisionStaySmoothOverManySources) {
  const MassPoints particles = plummer_sphere(100000);
  const auto targets = random_targets(200, particles.size());
  const auto reference = this->template sums<Force>(particles, targets);
  const auto errors =
      errors_of(this->template sums<Vec4, Root::newton>(particles, targets), reference);
  EXPECT_LT(percentile(errors, 0.5), 1e-6);
  EXPECT_LT(percentile(errors, 1), 1e-5);
}

/// Mean of (found - expected) / expected.
double mean_excess(const std::vector<double>& found, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) sum += found[i] / expected[i] - 1;
  return sum / double(found.size());
}

TYPED_TEST(DirectSums, OfTheEstimatedRootHaveNoMeanError) {
  const MassPoints particles = plummer_sphere(20000);
  const auto targets = random_targets(2000, particles.size());
  const auto reference = this->template sums<Force>(particles, targets);
  const auto found = this->template sums<Vec4, Root::estimate>(particles, targets);
  std::vector<double> a, exact_a, phi, exact_phi;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    a.push_back(std::hypot(found[i].x, found[i].y, found[i].z));
    exact_a.push_back(length(reference[i]));
    phi.push_back(found[i].w);
    exact_phi.push_back(reference[i].potential);
  }
  EXPECT_LT(std::abs(mean_excess(a, exact_a)), 5e-6);
  EXPECT_LT(std::abs(mean_excess(phi, exact_phi)), 5e-6);
  // If the estimate is exact, the error is the rounding of the sums.
  const double root_error = TestFixture::Warp::root_error;
  EXPECT_LT(percentile(errors_of(found, reference), 0.5), std::max(root_error / 12, 1e-6));
  EXPECT_LT(percentile(errors_of(found, reference), 0.99), std::max(root_error, 5e-6));
}

}  // namespace
}  // namespace gothic
