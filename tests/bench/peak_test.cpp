#include "bench/peak.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/core/device/devices.hpp"

/// What peak rates are measured with.
namespace gothic {
namespace {

using namespace test;
using namespace detail;

constexpr double softening = 0x1p-4;

TEST(UniformBall, HasTheSameDensityEverywhereAndMassOne) {
  const std::vector<Vec4> ball = uniform_ball(10000);
  ASSERT_EQ(ball.size(), 10000U);
  double mass = 0, r3 = 0, x = 0;
  for (const Vec4& p : ball) {
    const double r = std::hypot(p.x, p.y, p.z);
    ASSERT_LE(r, 1);
    mass += p.w;
    r3 += r * r * r / 10000;
    x += p.x / 10000;
  }
  EXPECT_NEAR(mass, 1, 1e-5);
  EXPECT_NEAR(r3, 0.5, 0.015);  // r^3 is uniform
  EXPECT_NEAR(x, 0, 0.02);
  EXPECT_EQ(ball, uniform_ball(10000));
}

template <class Case>
class Peak : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  using Vector = std::array<double, 3>;
  static constexpr std::uint32_t n = 300, count = 1000;

  std::vector<Vec4> ball = uniform_ball(n);
  typename Device::template Buffer<Vec4> position = to_device<Device>(ball);

  /// Accelerations of `count` targets.
  template <class Forces>
  static std::vector<Vector> accelerations(const Forces& forces) {
    std::vector<Vector> result;
    for (const auto& force : to_host(forces)) result.push_back({force.x, force.y, force.z});
    return result;
  }
  std::vector<Vector> sums(Precision precision) {
    DirectSums<Device> direct(this->device, position.data(), n, softening, precision);
    direct.set_targets(count);
    EXPECT_EQ(direct.interactions(), double(n) * count);
    EXPECT_GT(direct.seconds(), 0);
    if (precision == Precision::double_precision) return accelerations(direct.in_double());
    return accelerations(direct.in_single());
  }
  /// The largest error over the force, of a sum in double precision on the host.
  double largest_error(const std::vector<Vector>& found) const {
    double largest = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      double a[3] = {};
      for (const Vec4& p : ball) {
        const double dx = double(p.x) - ball[i].x, dy = double(p.y) - ball[i].y,
                     dz = double(p.z) - ball[i].z;
        const double weight =
            p.w / std::pow(dx * dx + dy * dy + dz * dz + softening * softening, 1.5);
        a[0] += weight * dx;
        a[1] += weight * dy;
        a[2] += weight * dz;
      }
      largest =
          std::max(largest, std::hypot(found[i][0] - a[0], found[i][1] - a[1], found[i][2] - a[2]) /
                                std::hypot(a[0], a[1], a[2]));
    }
    return largest;
  }
};
TYPED_TEST_SUITE(Peak, Devices);

TYPED_TEST(Peak, SumsAreOfTheSameParticlesOverAndOver) {
  const auto found = this->sums(Precision::single_newton);
  ASSERT_EQ(found.size(), this->count);
  for (std::uint32_t i = this->n; i < this->count; ++i) EXPECT_EQ(found[i], found[i % this->n]);
}

TYPED_TEST(Peak, SumsHaveThePrecisionThatIsAskedFor) {
  using Warp = typename TestFixture::Warp;
  const auto newton = this->sums(Precision::single_newton),
             estimate = this->sums(Precision::single_estimate),
             exact = this->sums(Precision::double_precision);
  EXPECT_LT(this->largest_error(exact), 1e-12);
  EXPECT_LT(this->largest_error(newton), 3e-5);
  EXPECT_GT(this->largest_error(newton), 1e-8);
  EXPECT_LT(this->largest_error(estimate), 3e-5 + 10 * Warp::root_error);
  EXPECT_EQ(estimate == newton, Warp::estimate_is_exact);
}

TYPED_TEST(Peak, LongSumsFillTheDevice) {
  using Device = typename TestFixture::Device;
  DirectSums<Device> direct(this->device, this->position.data(), this->n, softening,
                            Precision::single_newton);
  const files::Spread seconds = direct.time_long_sums(1);
  EXPECT_GT(seconds.least, 0);
  const std::size_t at_once = 2 * Device::Warp::width * this->device.warps();
  EXPECT_EQ(direct.targets() % at_once, 0U);
  EXPECT_TRUE(std::has_single_bit(direct.targets() / at_once));
  EXPECT_GE(direct.targets(), 4 * at_once);
}

TYPED_TEST(Peak, CopiedNumbersDiffer) {
  using Device = typename TestFixture::Device;
  typename Device::template Buffer<Vec4> from(1000);
  fill_numbers(this->device, from.data(), 1000);
  const std::vector<Vec4> numbers = to_host(from);
  for (std::size_t i = 1; i < 1000; ++i) EXPECT_EQ(numbers[i].x, numbers[i - 1].x + 1);
}

TYPED_TEST(Peak, BuffersLeaveTheMachineMemory) {
  const double bytes = double(default_buffer_bytes(this->device));
  EXPECT_GT(bytes, 0x1p20);
  EXPECT_LT(2 * bytes, 0.6 * double(this->device.free_memory()));  // of two buffers
}

}  // namespace
}  // namespace gothic
