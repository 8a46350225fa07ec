#include "core/gravity/external_field.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <type_traits>

#include "tests/core/device/devices.hpp"
#include "tests/core/tree/particles.hpp"

namespace gothic {
namespace {

using namespace test;

using Kind = ExternalPotential::Kind;

static_assert(std::is_trivially_copyable_v<ExternalField>);

ExternalPotential nfw() { return {Kind::nfw, 1, 1}; }
ExternalPotential hernquist() { return {Kind::hernquist, 1, 1}; }
ExternalPotential miyamoto_nagai() { return {Kind::miyamoto_nagai, 1, 1, 0.125}; }
ExternalPotential logarithmic() { return {Kind::logarithmic, 1, 1, 0.75}; }
ExternalPotential plummer() { return {Kind::miyamoto_nagai, 1, 0, 1}; }

const std::vector<ExternalPotential>& kinds() {
  static const std::vector<ExternalPotential> all = {nfw(), hernquist(), miyamoto_nagai(),
                                                     logarithmic(), plummer()};
  return all;
}

/// The sum of all potentials, each with another centre and another size.
ExternalField all_of_them() {
  ExternalField field;
  for (ExternalPotential one : kinds()) {
    const double k = field.count;
    one.strength *= 1 + k;
    one.scale *= 2 - 0.25 * k;
    one.center[0] = 0.5 * k;
    one.center[1] = -0.25;
    one.center[2] = 0.125 * k * k;
    field.potentials[field.count++] = one;
  }
  return field;
}

template <class Real>
double size(const FieldValue<Real>& a) {
  return std::hypot(double(a.x), double(a.y), double(a.z));
}

FieldValue<double> at(const ExternalPotential& potential, double x, double y, double z) {
  return potential.at<double>({float(x), float(y), float(z), 0}, 0);
}

/// Places at distances from 2^-20 to 2^20, in all directions.
std::vector<Vec4> places() {
  Random random(11);
  std::vector<Vec4> result;
  for (int power = -20; power <= 20; ++power) {
    for (int k = 0; k < 8; ++k) result.push_back(random.on_sphere(std::ldexp(1.0, power), 0));
  }
  return result;
}

/// The derivative of f at the coordinate `axis` of a place, from differences over 2 h and h.
template <class F>
double derivative(const F& f, const Vec4& place, int axis, float h) {
  const auto slope = [&](float step) {
    Vec4 low = place, high = place;
    float* const of_low[] = {&low.x, &low.y, &low.z};
    float* const of_high[] = {&high.x, &high.y, &high.z};
    *of_low[axis] -= step;
    *of_high[axis] += step;
    return (f(high) - f(low)) / (double(*of_high[axis]) - double(*of_low[axis]));
  };
  return (4 * slope(h) - slope(2 * h)) / 3;
}

TEST(ExternalPotential, AccelerationIsTheGradient) {
  for (const ExternalPotential& potential : kinds()) {
    const auto phi = [&](const Vec4& r) { return potential.at<double>(r, 0).potential; };
    for (const Vec4& place : places()) {
      const double r = std::hypot(place.x, place.y, place.z);
      if (r < 0x1p-8 || r > 0x1p8) continue;  // where differences lose their digits
      const float h = float(std::min(r, 0.125)) * 0x1p-8F;
      const FieldValue<double> a = potential.at<double>(place, 0);
      const double found[] = {a.x, a.y, a.z};
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(found[axis], -derivative(phi, place, axis, h), 1e-6 * size(a))
            << "kind " << int(potential.kind) << " at " << r << ", axis " << axis;
      }
    }
  }
}

TEST(ExternalPotential, GradientIsTheNormOfTheDerivatives) {
  for (const ExternalPotential& potential : kinds()) {
    for (const Vec4& place : places()) {
      const double r = std::hypot(place.x, place.y, place.z);
      if (r < 0x1p-8 || r > 0x1p8) continue;  // where differences lose their digits
      const float h = float(std::min(r, 0.125)) * 0x1p-8F;
      double squares = 0;
      for (int axis = 0; axis < 9; ++axis) {
        const auto one = [&](const Vec4& at) {
          const FieldValue<double> a = potential.at<double>(at, 0);
          return std::array{a.x, a.y, a.z}[axis / 3];
        };
        squares += std::pow(derivative(one, place, axis % 3, h), 2);
      }
      const double found = potential.gradient(place);
      EXPECT_NEAR(found, std::sqrt(squares), 1e-5 * found)
          << "kind " << int(potential.kind) << " at " << r;
    }
    EXPECT_TRUE(std::isfinite(potential.gradient({0, 0, 0, 0})));
  }
}

TEST(ExternalPotential, CircularSpeedsAreThoseOfTheClosedForms) {
  for (const float r : {0.125F, 1.0F, 3.0F, 40.0F, 0x1p30F}) {
    const double R = r;
    const auto v2 = [&](const ExternalPotential& potential) {
      const FieldValue<double> a = at(potential, 0, -R, 0);
      EXPECT_EQ(a.x, 0);
      EXPECT_EQ(a.z, 0);
      return R * a.y;
    };
    EXPECT_NEAR(v2(nfw()), std::log1p(R) / R - 1 / (1 + R), 1e-14);
    EXPECT_NEAR(v2(hernquist()), R / std::pow(1 + R, 2), 1e-14);
    EXPECT_NEAR(v2(miyamoto_nagai()), R * R / std::pow(R * R + 1.125 * 1.125, 1.5), 1e-14);
    EXPECT_NEAR(v2(logarithmic()), R * R / (1 + R * R), 1e-14);
    EXPECT_NEAR(v2(plummer()), R * R / std::pow(R * R + 1, 1.5), 1e-14);
  }
}

TEST(ExternalPotential, PotentialsAreThoseOfTheClosedForms) {
  for (const float r : {0.0625F, 1.0F, 3.0F, 1000.0F}) {
    const double R = r, z = r;
    EXPECT_NEAR(at(nfw(), R, 0, 0).potential, -std::log1p(R) / R, 1e-15);
    EXPECT_NEAR(at(hernquist(), 0, R, 0).potential, -1 / (1 + R), 1e-15);
    EXPECT_NEAR(at(miyamoto_nagai(), R, 0, z).potential,
                -1 / std::hypot(R, 1 + std::hypot(z, 0.125)), 1e-15);
    EXPECT_NEAR(at(logarithmic(), R, 0, z).potential, 0.5 * std::log(1 + R * R + z * z / 0.5625),
                1e-14);
    // its equipotentials are flattened by q
    EXPECT_NEAR(at(logarithmic(), 0, 0, 0.75 * z).potential, at(logarithmic(), R, 0, 0).potential,
                1e-14);
  }
}

TEST(ExternalPotential, IsFiniteAtAndNearTheCentre) {
  for (const ExternalPotential& potential : kinds()) {
    const auto check = [&](auto real) {
      using Real = decltype(real);
      const FieldValue<Real> center = potential.at<Real>({0, 0, 0, 0}, 0);
      EXPECT_EQ(size(center), 0) << "kind " << int(potential.kind);
      for (const float r : {1e-40F, 1e-30F, 1e-20F, 1e-15F, 1e-6F}) {
        const FieldValue<Real> near = potential.at<Real>({r, -r, r, 0}, 0);
        EXPECT_LE(size(near), 1.01);
        EXPECT_NEAR(near.potential, center.potential, 1e-5);
      }
    };
    check(float{});
    check(double{});
  }
  EXPECT_DOUBLE_EQ(at(nfw(), 0, 0, 0).potential, -1);
  EXPECT_NEAR(at(nfw(), 1e-12, 0, 0).x, -0.5, 1e-11);
  EXPECT_NEAR(at(hernquist(), 0, 1e-12, 0).y, -1, 1e-11);
  EXPECT_EQ(at(logarithmic(), 0, 0, 0).potential, 0);
}

TEST(ExternalPotential, InSinglePrecisionIsThatInDoublePrecision) {
  for (const ExternalPotential& potential : kinds()) {
    for (const Vec4& place : places()) {
      const auto single = potential.at<float>(place, 0);
      const auto exact = potential.at<double>(place, 0);
      const double difference =
          std::hypot(single.x - exact.x, single.y - exact.y, single.z - exact.z);
      EXPECT_LT(difference, 2e-6 * size(exact)) << "kind " << int(potential.kind);
      EXPECT_NEAR(single.potential, exact.potential, 1e-6 * std::abs(exact.potential));
    }
  }
}

TEST(ExternalPotential, NfwIsSmoothWhereItsFormulaChanges) {
  const auto check = [](auto real, double tolerance) {
    using Real = decltype(real);
    const float change = 0.25F;
    const auto below = nfw().at<Real>({std::nextafter(change, 0.0F), 0, 0, 0}, 0);
    const auto above = nfw().at<Real>({std::nextafter(change, 1.0F), 0, 0, 0}, 0);
    EXPECT_NEAR(below.x / above.x, 1, tolerance);
    EXPECT_NEAR(below.potential / above.potential, 1, tolerance);
  };
  check(float{}, 2e-6);
  check(double{}, 1e-7);  // the places differ by as much
}

TEST(ExternalField, IsTheSumOfPotentialsAboutTheirCentres) {
  const ExternalField field = all_of_them();
  for (const Vec4& place : places()) {
    FieldValue<double> sum;
    for (int k = 0; k < field.count; ++k) {
      // The place relative to the centre, which a float may not hold.
      ExternalPotential seen = field.potentials[k];
      seen.center[0] -= place.x;
      seen.center[1] -= place.y;
      seen.center[2] -= place.z;
      const FieldValue<double> one = seen.at<double>({0, 0, 0, 0}, 0);
      sum.x += one.x;
      sum.y += one.y;
      sum.z += one.z;
      sum.potential += one.potential;
    }
    const FieldValue<double> found = field.at<double>(place, 0);
    EXPECT_NEAR(found.x, sum.x, 1e-14 * (1 + size(sum)));
    EXPECT_NEAR(found.y, sum.y, 1e-14 * (1 + size(sum)));
    EXPECT_NEAR(found.z, sum.z, 1e-14 * (1 + size(sum)));
    EXPECT_NEAR(found.potential, sum.potential, 1e-13 * (1 + std::abs(sum.potential)));
  }
}

template <class Case>
class ExternalFieldOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(ExternalFieldOn, Devices);

TYPED_TEST(ExternalFieldOn, IsAddedToTheTargetsAlone) {
  using Device = typename TypeParam::Device;
  const ExternalField field = all_of_them();
  const MassPoints particles = cuspy_sphere(5000);
  const std::vector<Vec4> before(particles.size(), {1, 2, 3, 4});
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < particles.size(); i += 3) chosen.push_back(i);
  const auto position = to_device<Device>(particles);
  const auto targets = to_device<Device>(chosen);
  auto result = to_device<Device>(before);
  add_field<float>(this->device, field, 0, position.data(), targets.data(),
                   std::uint32_t(chosen.size()), result.data());
  this->device.synchronize();
  const std::vector<Vec4> found = to_host(result);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const auto own = i % 3 == 0 ? field.at<double>(particles[i], 0) : FieldValue<double>{};
    const double tolerance = 1e-5 * (4 + size(own));
    ASSERT_NEAR(found[i].x, 1 + own.x, tolerance);
    ASSERT_NEAR(found[i].y, 2 + own.y, tolerance);
    ASSERT_NEAR(found[i].z, 3 + own.z, tolerance);
    ASSERT_NEAR(found[i].w, 4 + own.potential, tolerance);
    if (i % 3 != 0) {
      ASSERT_EQ(found[i].w, 4);
    }
  }
}

}  // namespace
}  // namespace gothic
