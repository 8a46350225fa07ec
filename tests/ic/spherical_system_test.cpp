#include "ic/spherical_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fixtures.hpp"

namespace gothic::ic {
namespace {

constexpr double tolerance = 1e-8;

TEST(SphericalSystem, PlummerMassAndPotential) {
  const SphericalSystem system(plummer_sphere());
  EXPECT_NEAR(system.profiles()[0].rho0(), 3 / (4 * std::numbers::pi), tolerance);
  for (const double r : {1e-3, 0.1, 0.7, 1.0, 5.0, 300.0}) {
    const double t = std::log(r), a = std::sqrt(1 + r * r);
    EXPECT_NEAR(system.mass(t) / std::pow(r / a, 3), 1, tolerance) << r;
    EXPECT_NEAR(system.potential(t) * a, 1, tolerance) << r;
    // 1 - 1 / a without cancellation
    EXPECT_NEAR(system.deficit(t) / (r * r / (a * (1 + a))), 1, tolerance) << r;
  }
  EXPECT_NEAR(system.virial(0), -3 * std::numbers::pi / 32, tolerance);
  EXPECT_NEAR(system.radius_of_mass(0, 0.1), 0.524028, 1e-6);
  EXPECT_NEAR(system.radius_of_mass(0, 0.5), 1.304766, 1e-6);
  EXPECT_NEAR(system.radius_of_mass(0, 0.9), 3.707113, 1e-6);
}

TEST(SphericalSystem, HernquistMassAndPotential) {
  const SphericalSystem system(hernquist_sphere());
  EXPECT_NEAR(system.profiles()[0].rho0(), 1 / (2 * std::numbers::pi), tolerance);
  for (const double r : {1e-5, 0.1, 0.7, 1.0, 5.0, 300.0}) {
    const double t = std::log(r);
    EXPECT_NEAR(system.mass(t) / std::pow(r / (1 + r), 2), 1, tolerance) << r;
    EXPECT_NEAR(system.potential(t) * (1 + r), 1, tolerance) << r;
    EXPECT_NEAR(system.deficit(t) / (r / (1 + r)), 1, tolerance) << r;
  }
  EXPECT_NEAR(system.virial(0), -1.0 / 6, tolerance);
  EXPECT_NEAR(system.radius_of_mass(0, 0.5), 2.414214, 1e-6);
}

TEST(SphericalSystem, NfwCircularVelocityWithDistantCutoff) {
  const SphericalSystem system(nfw_sphere(1e6, 1e5));
  const double unit = 4 * std::numbers::pi * system.profiles()[0].rho0();
  for (const double r : {0.01, 1.0, 10.0}) {
    const double expected = std::log1p(r) - r / (1 + r);
    EXPECT_NEAR(system.mass(std::log(r)) / unit / expected, 1, 1e-7) << r;
  }
  const double r_max = 2.162582;
  EXPECT_NEAR(system.mass(std::log(r_max)) / unit / r_max, 0.2162166, 1e-7);
}

TEST(SphericalSystem, CutoffKeepsTheTotalMass) {
  const SphericalSystem system(nfw_sphere());
  EXPECT_NEAR(system.mass(std::log(20.0)), 1, tolerance);
  EXPECT_LT(system.mass(std::log(5.0)), 1);
}

TEST(SphericalSystem, ComponentsShareOnePotential) {
  const Model model = bulge_and_halo();
  const SphericalSystem both(model);
  Model halo = model, bulge = model;
  halo.components.pop_back();
  bulge.components.erase(bulge.components.begin());
  const SphericalSystem one(halo), other(bulge);
  for (const double r : {0.001, 0.05, 0.3, 0.7}) {
    const double t = std::log(r);
    EXPECT_NEAR(both.mass(t) / (one.mass(t) + other.mass(t)), 1, tolerance);
    EXPECT_NEAR(both.potential(t) / (one.potential(t) + other.potential(t)), 1, tolerance);
    EXPECT_NEAR(both.density(r) / (one.density(r) + other.density(r)), 1, tolerance);
  }
}

TEST(SphericalSystem, TurningPointInvertsThePotential) {
  const SphericalSystem system(nfw_sphere());
  for (const double r : {0.001, 0.1, 3.0, 6.0}) {
    EXPECT_NEAR(system.turning_point(system.potential(std::log(r))), std::log(r), 1e-7);
  }
}

TEST(SphericalSystem, UsesTheGravitationalConstantOfTheUnits) {
  Model model = plummer_sphere();
  model.units = {.length_in_cm = io::kiloparsec,
                 .mass_in_g = 1e10 * io::solar_mass,
                 .velocity_in_cm_per_s = 1e5};
  const SphericalSystem system(model);
  EXPECT_NEAR(system.central_potential() / model.units.gravitational_constant(), 1, tolerance);
}

}  // namespace
}  // namespace gothic::ic
