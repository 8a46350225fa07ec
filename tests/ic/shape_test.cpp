#include "ic/shape.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>

#include "ic/shape_sersic.hpp"
#include "ic/shape_table.hpp"

namespace gothic::ic {
namespace {

struct Formula {
  std::string name;
  Component component;
  std::function<double(double)> density;
};

std::ostream& operator<<(std::ostream& out, const Formula& formula) { return out << formula.name; }

class Formulas : public ::testing::TestWithParam<Formula> {};

TEST_P(Formulas, AreThoseOfTheLiterature) {
  const auto shape = make_shape(GetParam().component);
  for (const double x : {1e-6, 0.01, 0.5, 1.0, 3.0, 200.0}) {
    EXPECT_NEAR(shape->jet(x).value / GetParam().density(x), 1, 1e-12) << x;
  }
}

using std::pow;

INSTANTIATE_TEST_SUITE_P(
    All, Formulas,
    ::testing::Values(Formula{"plummer",
                              {.name = "", .profile = ProfileKind::plummer},
                              [](double x) { return pow(1 + x * x, -2.5); }},
                      Formula{"hernquist",
                              {.name = "", .profile = ProfileKind::hernquist},
                              [](double x) { return 1 / (x * pow(1 + x, 3)); }},
                      Formula{"nfw",
                              {.name = "", .profile = ProfileKind::nfw},
                              [](double x) { return 1 / (x * pow(1 + x, 2)); }},
                      Formula{"burkert",
                              {.name = "", .profile = ProfileKind::burkert},
                              [](double x) { return 1 / ((1 + x) * (1 + x * x)); }},
                      Formula{"moore",
                              {.name = "", .profile = ProfileKind::moore},
                              [](double x) { return 1 / (pow(x, 1.5) * (1 + pow(x, 1.5))); }},
                      Formula{"einasto",
                              {.name = "", .profile = ProfileKind::einasto, .alpha = 0.2},
                              [](double x) { return std::exp(-10 * (pow(x, 0.2) - 1)); }},
                      Formula{"double_power",
                              {.name = "",
                               .profile = ProfileKind::double_power,
                               .alpha = 2,
                               .beta = 4.5,
                               .gamma = 0.7},
                              [](double x) { return pow(x, -0.7) * pow(1 + x * x, -1.9); }}));

TEST(DoublePower, MayBendSharply) {
  const auto shape = make_shape(
      {.name = "", .profile = ProfileKind::double_power, .alpha = 100, .beta = 5, .gamma = 1});
  EXPECT_NEAR(shape->jet(1e-7).value, 1e7, 1e-5);
  EXPECT_NEAR(shape->jet(1e7).value / 1e-35, 1, 1e-12);
}

class Sersic : public ::testing::TestWithParam<double> {};

TEST_P(Sersic, ProjectsToItsSurfaceDensity) {
  const double n = GetParam();
  const auto shape = make_shape({.name = "", .profile = ProfileKind::sersic, .n = n});
  boost::math::quadrature::exp_sinh<double> integrator;
  for (const double x : {1e-3, 0.1, 1.0, 3.0}) {
    // Along the line of sight, in units of x.
    const auto density = [&](double z) { return shape->jet(x * std::hypot(1, z)).value; };
    const double surface = 2 * x * integrator.integrate(density, 1e-10);
    EXPECT_NEAR(surface / std::exp(-sersic_b(n) * (pow(x, 1 / n) - 1)), 1, 1e-6) << x;
  }
}

TEST_P(Sersic, DerivativesAreConsistent) {
  const auto shape = make_shape({.name = "", .profile = ProfileKind::sersic, .n = GetParam()});
  for (const double x : {0.0033, 0.077, 1.7}) {
    const double h = 1e-5 * x;
    const Jet low = shape->jet(x - h), middle = shape->jet(x), high = shape->jet(x + h);
    EXPECT_NEAR((high.value - low.value) / (2 * h) / middle.first, 1, 2e-6) << x;
    EXPECT_NEAR((high.first - low.first) / (2 * h) / middle.second, 1, 2e-6) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sersic, ::testing::Values(0.5, 0.7, 1, 2, 4, 10));

TEST(SersicShape, OfIndexOneIsABesselFunction) {
  const SersicShape shape(1);
  const double b = sersic_b(1);
  EXPECT_NEAR(b, 1.678347, 1e-6);  // the half-mass radius of a thin exponential disc
  for (const double x : {1e-5, 0.3, 1.0, 7.0}) {
    const double expected =
        b * std::exp(b) / std::numbers::pi * boost::math::cyl_bessel_k(0, b * x);
    EXPECT_NEAR(shape.jet(x).value / expected, 1, 1e-9) << x;
  }
}

TEST(TabulatedShape, GoesThroughItsRowsAndOnAsPowerLaws) {
  const TabulatedShape shape({std::log(0.5), std::log(1), std::log(3), std::log(4)},
                             {std::log(8), std::log(5), std::log(1), std::log(0.1)});
  EXPECT_NEAR(shape.jet(0.5).value, 8, 1e-12);
  EXPECT_NEAR(shape.jet(1).value, 5, 1e-12);
  EXPECT_NEAR(shape.jet(3).value, 1, 1e-12);
  EXPECT_NEAR(shape.jet(4).value, 0.1, 1e-12);
  const Jet end = shape.jet(4);
  EXPECT_NEAR(shape.jet(400).value / end.value / pow(100, end.first * 4 / end.value), 1, 1e-10);
}

TEST(TabulatedShape, GoesOnInwardsAsACuspOrACore) {
  const auto table_of = [](const auto& log_density) {
    std::vector<double> t, y;
    for (int k = 0; k <= 60; ++k) {
      t.push_back(-2 + 0.1 * k);
      y.push_back(log_density(std::exp(t.back())));
    }
    return TabulatedShape(t, y);
  };
  const TabulatedShape cusp = table_of([](double x) { return -1.5 * std::log(x); });
  EXPECT_NEAR(cusp.jet(1e-4).value / 1e6, 1, 1e-9);
  const TabulatedShape core = table_of([](double x) { return -2.5 * std::log1p(x * x); });
  EXPECT_NEAR(core.jet(1e-4).value, 1, 1e-3);
  EXPECT_NEAR(core.jet(1e-4).second, -5, 0.2);
  const TabulatedShape einasto = table_of([](double x) { return -10 * pow(x, 0.2); });
  EXPECT_NEAR(std::log(einasto.jet(1e-4).value), -10 * pow(1e-4, 0.2), 0.05);
}

TEST(TabulatedShape, HasNoJumps) {
  const TabulatedShape shape({0, 1, 1.5, 3}, {0, -1, -2, -6});
  for (const double t : {0.0, 1.0, 1.5, 3.0}) {
    const Jet low = shape.jet(std::exp(t - 1e-9)), high = shape.jet(std::exp(t + 1e-9));
    EXPECT_NEAR(low.value / high.value, 1, 1e-7);
    EXPECT_NEAR(low.first / high.first, 1, 1e-7);
    EXPECT_NEAR(low.second / high.second, 1, 1e-7);
  }
}

TEST(TabulatedShape, FollowsASmoothFunction) {
  std::vector<double> log_radius, log_density;
  for (int k = -140; k <= 140; ++k) {
    const double t = 0.05 * k;
    log_radius.push_back(t);
    log_density.push_back(-2.5 * std::log1p(std::exp(2 * t)));
  }
  const TabulatedShape shape(log_radius, log_density);
  const auto plummer = make_shape({.name = "", .profile = ProfileKind::plummer});
  for (const double x : {0.01, 0.3, 1.0, 20.0}) {
    EXPECT_NEAR(shape.jet(x).value / plummer->jet(x).value, 1, 1e-6);
    EXPECT_NEAR(shape.jet(x).first / plummer->jet(x).first, 1, 1e-3);
    EXPECT_NEAR(shape.jet(x).second / plummer->jet(x).second, 1, 1e-2);
  }
  EXPECT_NEAR(shape.size(), std::sqrt(2.0 / 3), 0.05);
}

TEST(TabulatedShape, NeedsIncreasingRadii) {
  EXPECT_THROW(TabulatedShape({1}, {1}), std::invalid_argument);
  EXPECT_THROW(TabulatedShape({1, 2}, {1}), std::invalid_argument);
  EXPECT_THROW(TabulatedShape({1, 2, 2}, {1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(TabulatedShape({1, 3, 2}, {1, 0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace gothic::ic
