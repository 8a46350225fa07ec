#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/core/device/warps.hpp"

/// The functions that a warp computes lane by lane.
namespace gothic {
namespace {

using test::to_device;
using test::to_host;

template <class Case>
class WarpArithmetic : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(WarpArithmetic, test::Devices);

/// Numbers between low and high whose logarithms are uniform.
template <class Real>
std::vector<Real> numbers_between(double low, double high, std::size_t n) {
  std::mt19937_64 generator(1994);
  std::uniform_real_distribution<double> exponent(std::log(low), std::log(high));
  std::vector<Real> values(n);
  for (Real& value : values) value = Real(std::exp(exponent(generator)));
  return values;
}

/// Largest relative deviation of y from `exact(x)`.
template <class Real, class Exact>
double worst_error(const std::vector<Real>& x, const std::vector<Real>& y, Exact exact) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(double(y[i] / exact(static_cast<long double>(x[i])) - 1));
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  return worst;
}

/// f(x) of all values, taken a warp's width at a time. F has a static `of<Warp>(Float x)`.
template <class F, class Device>
std::vector<float> lane_by_lane(const Device& device, const std::vector<float>& values) {
  using Warp = typename Device::Warp;
  constexpr std::size_t width = Warp::width;
  const auto in = to_device<Device>(values);
  typename Device::template Buffer<Vec4> out(values.size());
  const float* const from = in.data();
  Vec4* const to = out.data();
  device.template for_each_warp<test::NoScratch>(
      values.size() / width, [=] GOTHIC_DEVICE(test::NoScratch&, std::size_t task) {
        const auto index = Warp::sequence(std::uint32_t(task * width));
        const auto value = F::template of<Warp>(Warp::gather(from, index));
        Warp::scatter(to, index, int(width), {value, value, value, value});
      });
  device.synchronize();
  std::vector<float> result;
  for (const Vec4& record : to_host(out)) result.push_back(record.x);
  return result;
}

struct ScaledRsqrt {
  template <class Warp>
  GOTHIC_HD static typename Warp::Float of(typename Warp::Float x) {
    return Warp::scaled_rsqrt(x);
  }
};
struct RsqrtEstimate {
  template <class Warp>
  GOTHIC_HD static typename Warp::Float of(typename Warp::Float x) {
    return Warp::rsqrt_estimate(x);
  }
};

TYPED_TEST(WarpArithmetic, ScaledRsqrtHoldsToSinglePrecisionOverFortyDecades) {
  const auto x = numbers_between<float>(1e-20, 1e20, 1 << 20);
  const auto y = lane_by_lane<ScaledRsqrt>(this->device, x);
  const double newton = 1.5 * std::pow(TestFixture::Warp::root_error, 2);
  const auto exact = [](long double v) { return TestFixture::Warp::rsqrt_scale / std::sqrt(v); };
  EXPECT_LT(worst_error(x, y, exact), newton + 2.5e-7);
}

TYPED_TEST(WarpArithmetic, RsqrtEstimateStaysWithinItsError) {
  const auto x = numbers_between<float>(1e-20, 1e20, 1 << 20);
  const auto y = lane_by_lane<RsqrtEstimate>(this->device, x);
  EXPECT_LE(worst_error(x, y, [](long double v) { return 1 / std::sqrt(v); }),
            TestFixture::Warp::root_error);
}

TYPED_TEST(WarpArithmetic, MeanEstimateIsThatOfManyNumbers) {
  using Warp = typename TestFixture::Warp;
  // The error repeats with every second power of two.
  const auto x = numbers_between<float>(1, 4, 1 << 22);
  const auto y = lane_by_lane<RsqrtEstimate>(this->device, x);
  for (const int power : {1, 3}) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += std::pow(double(y[i]) * std::sqrt(double(x[i])), power);
    }
    EXPECT_NEAR(Warp::mean_estimate(power), sum / double(x.size()),
                1e-7 * power + 4 * power * Warp::root_error / std::sqrt(double(x.size())))
        << "power " << power;
  }
}

template <class Device>
std::vector<double> double_rsqrt(const Device& device, const std::vector<double>& values) {
  using Warp = typename Device::Warp;
  constexpr std::size_t width = Warp::double_width;
  const auto in = to_device<Device>(values);
  typename Device::template Buffer<double> out(values.size());
  const double* const from = in.data();
  double* const to = out.data();
  device.template for_each_warp<test::NoScratch>(
      values.size() / width, [=] GOTHIC_DEVICE(test::NoScratch&, std::size_t task) {
        const auto x = Warp::make_double([=](int lane) { return from[task * width + lane]; });
        Warp::store(to + task * width, int(width), Warp::rsqrt(x));
      });
  device.synchronize();
  return to_host(out);
}

TYPED_TEST(WarpArithmetic, DoubleRsqrtIsExactToAFewUnitsInTheLastPlace) {
  const auto x = numbers_between<double>(1e-40, 1e40, 1 << 17);
  const auto y = double_rsqrt(this->device, x);
  EXPECT_LT(worst_error(x, y, [](long double v) { return 1 / std::sqrt(v); }), 1e-15);
}

struct Extremes {
  const float *a, *b;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    const auto lanes = Warp::sequence(0);
    const auto x = Warp::gather(a, lanes), y = Warp::gather(b, lanes);
    Warp::scatter(
        out, lanes, Warp::width,
        {Warp::min(x, y), Warp::max(x, y), Warp::select(x < y, x, y), Warp::select(x < y, y, x)});
  }
};

TYPED_TEST(WarpArithmetic, MinMaxAndSelectDifferFromLaneToLane) {
  using Device = typename TestFixture::Device;
  auto a = numbers_between<float>(1, 100, this->width), b = a;
  std::reverse(b.begin(), b.end());
  const auto from_a = to_device<Device>(a), from_b = to_device<Device>(b);
  const auto found =
      test::written(this->device, a.size(), Vec4{}, Extremes{from_a.data(), from_b.data()});
  for (int lane = 0; lane < this->width; ++lane) {
    const auto [low, high] = std::minmax(a[lane], b[lane]);
    EXPECT_EQ(found[lane], (Vec4{low, high, low, high})) << "lane " << lane;
  }
}

}  // namespace
}  // namespace gothic
