#include "ic/profiles/profiles.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <functional>
#include <numbers>

#include "fixtures.hpp"

namespace gothic::ic {
namespace {

using std::pow;

struct Formula {
  std::string profile, keys;
  std::function<double(double)> density;
};

std::ostream& operator<<(std::ostream& out, const Formula& formula) {
  return out << formula.profile;
}

class Formulas : public ::testing::TestWithParam<Formula> {};

TEST_P(Formulas, AreThoseOfTheLiterature) {
  const bool is_disc = GetParam().profile.ends_with("disc");
  const Component a = component(
      GetParam().profile, GetParam().keys + (is_disc ? "height = 1\nsigma_r = 1" : cutoff(10, 1)));
  for (const double x : {1e-6, 0.01, 0.5, 1.0, 3.0, 20.0}) {
    EXPECT_NEAR(a.shape->jet(x).value / GetParam().density(x), 1, 1e-12) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Formulas,
    ::testing::Values(
        Formula{"plummer", "", [](double x) { return pow(1 + x * x, -2.5); }},
        Formula{"hernquist", "", [](double x) { return 1 / (x * pow(1 + x, 3)); }},
        Formula{"nfw", "", [](double x) { return 1 / (x * pow(1 + x, 2)); }},
        Formula{"burkert", "", [](double x) { return 1 / ((1 + x) * (1 + x * x)); }},
        Formula{"moore", "", [](double x) { return 1 / (pow(x, 1.5) * (1 + pow(x, 1.5))); }},
        Formula{"einasto", "alpha = 0.2\n", [](double x) { return exp(-10 * (pow(x, 0.2) - 1)); }},
        Formula{"double_power", "alpha = 2\nbeta = 4.5\ngamma = 0.7\n",
                [](double x) { return pow(x, -0.7) * pow(1 + x * x, -1.9); }},
        Formula{"exponential_disc", "", [](double x) { return exp(-x); }},
        Formula{"sersic_disc", "n = 2\n",
                [](double x) { return exp(-sersic_b(2) * std::sqrt(x)); }}));

TEST(DoublePower, MayBendSharply) {
  const auto shape = component("double_power", "alpha = 100\nbeta = 5\ngamma = 1").shape;
  EXPECT_NEAR(shape->jet(1e-7).value, 1e7, 1e-5);
  EXPECT_NEAR(shape->jet(1e7).value / 1e-35, 1, 1e-12);
}

class Profiles : public ::testing::TestWithParam<Model> {
 protected:
  DensityProfile profile_ = GetParam().components.back().density_profile();
};

TEST_P(Profiles, DerivativesMatchFiniteDifferences) {
  const double scale = GetParam().components.back().scale;
  for (const double x : {0.01, 0.3, 0.9, 1.7, 4.5, 5.5}) {
    const double r = x * scale, h = 1e-5 * r;
    const Jet low = profile_.jet(r - h), middle = profile_.jet(r), high = profile_.jet(r + h);
    if (high.value == 0) continue;
    EXPECT_NEAR((high.value - low.value) / (2 * h) / middle.first, 1, 2e-6) << x;
    EXPECT_NEAR((high.first - low.first) / (2 * h) / middle.second, 1, 2e-6) << x;
  }
}

TEST_P(Profiles, HaveTheMassAskedFor) {
  const Component& component = GetParam().components.back();
  const SphericalSystem system = spheres_of(model_of(component));
  EXPECT_NEAR(system.total_mass(0) / component.mass, 1, 1e-9);
  EXPECT_NEAR(system.mass(0, system.grid().last_t()) / component.mass, 1, 1e-6);
}

TEST_P(Profiles, AreAsSteepAsTheySay) {
  const auto [inner, outer] = GetParam().components.back().shape->slopes();
  const Shape& shape = *GetParam().components.back().shape;
  const auto slope = [&](double x) { return -shape.jet(x).first * x / shape.jet(x).value; };
  EXPECT_NEAR(slope(1e-9), inner, 0.2);
  EXPECT_TRUE(std::isinf(outer) || std::abs(slope(1e6) - outer) < 0.01);
}

INSTANTIATE_TEST_SUITE_P(All, Profiles, ::testing::ValuesIn(every_sphere()));
INSTANTIATE_TEST_SUITE_P(InCompany, Profiles, ::testing::Values(bulge_and_halo()));

TEST(DensityProfile, IsHalvedAtTheCutoff) {
  const DensityProfile cut = component("nfw", cutoff(5, 0.5)).density_profile();
  const DensityProfile whole = uncut("nfw").density_profile();
  EXPECT_NEAR(cut(5) / whole(5), 0.5, 1e-14);
  EXPECT_NEAR(cut(6) / whole(6), std::erfc(1.0) / 2, 1e-14);
  EXPECT_NEAR(cut(1) / whole(1), 1, 1e-7);
}

TEST(DensityProfile, OfABlackHoleIsAPlummerSphereOfItsSoftening) {
  const DensityProfile hole = component("black_hole", "softening = 0.1").density_profile();
  EXPECT_EQ(hole.scale(), 0.1);
  EXPECT_NEAR(hole(0.1) / hole(1e-5), pow(2, -2.5), 1e-7);
}

class Sersic : public ::testing::TestWithParam<double> {};

TEST_P(Sersic, ProjectsToItsSurfaceDensity) {
  const double n = GetParam();
  const auto shape = component("sersic", "n = " + std::to_string(n)).shape;
  boost::math::quadrature::exp_sinh<double> integrator;
  for (const double x : {1e-3, 0.1, 1.0, 3.0}) {
    // Along the line of sight, in units of x.
    const auto density = [&](double z) { return shape->jet(x * std::hypot(1, z)).value; };
    const double surface = 2 * x * integrator.integrate(density, 1e-10);
    EXPECT_NEAR(surface / std::exp(-sersic_b(n) * (pow(x, 1 / n) - 1)), 1, 1e-6) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sersic, ::testing::Values(0.5, 0.7, 1, 2, 4, 10));

TEST(SersicShape, OfIndexOneIsABesselFunction) {
  const ShapePointer shape = sersic_shape(1);
  const double b = sersic_b(1);
  EXPECT_NEAR(b, 1.678347, 1e-6);  // the half-mass radius of a thin exponential disc
  for (const double x : {1e-5, 0.3, 1.0, 7.0}) {
    const double expected =
        b * std::exp(b) / std::numbers::pi * boost::math::cyl_bessel_k(0, b * x);
    EXPECT_NEAR(shape->jet(x).value / expected, 1, 1e-9) << x;
  }
}

/// The table of a function over the t = ln x from `first` to `last`.
ShapePointer table_of(double first, double last, const std::function<double(double)>& log_density) {
  std::vector<double> t, y;
  for (double at = first; at < last + 0.01; at += 0.05) {
    t.push_back(at);
    y.push_back(log_density(std::exp(at)));
  }
  return table_shape(t, y);
}

double log_plummer(double x) { return -2.5 * std::log1p(x * x); }

TEST(TableShape, GoesThroughItsRowsAndOnAsAPowerLaw) {
  const ShapePointer shape = table_shape({{0.5, 8}, {1, 5}, {3, 1}, {4, 0.1}});
  for (const auto& [radius, density] : shape->rows()) {
    EXPECT_NEAR(shape->jet(radius).value, density, 1e-12);
  }
  EXPECT_NEAR(shape->jet(400).value / 0.1, pow(100, -shape->slopes().outer), 1e-10);
}

TEST(TableShape, GoesOnInwardsAsACuspOrACore) {
  const ShapePointer cusp = table_of(-2, 4, [](double x) { return -1.5 * std::log(x); });
  EXPECT_NEAR(cusp->jet(1e-4).value / 1e6, 1, 1e-9);
  const ShapePointer core = table_of(-2, 4, log_plummer);
  EXPECT_NEAR(core->jet(1e-4).value, 1, 1e-3);
  EXPECT_NEAR(core->jet(1e-4).second, -5, 0.2);
  const ShapePointer einasto = table_of(-2, 4, [](double x) { return -10 * pow(x, 0.2); });
  EXPECT_NEAR(std::log(einasto->jet(1e-4).value), -10 * pow(1e-4, 0.2), 0.05);
}

TEST(TableShape, HasNoJumps) {
  const ShapePointer shape = table_shape({0, 1, 1.5, 3}, {0, -1, -2, -6});
  for (const double t : {0.0, 1.0, 1.5, 3.0}) {
    const Jet low = shape->jet(std::exp(t - 1e-9)), high = shape->jet(std::exp(t + 1e-9));
    EXPECT_NEAR(low.value / high.value, 1, 1e-7);
    EXPECT_NEAR(low.first / high.first, 1, 1e-7);
    EXPECT_NEAR(low.second / high.second, 1, 1e-7);
  }
}

TEST(TableShape, FollowsASmoothFunction) {
  const ShapePointer shape = table_of(-7, 7, log_plummer);
  const auto plummer = component("plummer").shape;
  for (const double x : {0.01, 0.3, 1.0, 20.0}) {
    EXPECT_NEAR(shape->jet(x).value / plummer->jet(x).value, 1, 1e-6);
    EXPECT_NEAR(shape->jet(x).first / plummer->jet(x).first, 1, 1e-3);
    EXPECT_NEAR(shape->jet(x).second / plummer->jet(x).second, 1, 1e-2);
  }
  EXPECT_NEAR(shape->size(), std::sqrt(2.0 / 3), 0.05);
}

}  // namespace
}  // namespace gothic::ic
