#include "ic/spherical_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "fixtures.hpp"
#include "ic/diagnostics.hpp"
#include "ic/distribution_function.hpp"

namespace gothic::ic {
namespace {

constexpr double tolerance = 1e-8;

TEST(SphericalSystem, PlummerMassAndPotential) {
  const SphericalSystem system = spheres_of(plummer_sphere());
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
  const SphericalSystem system = spheres_of(hernquist_sphere());
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
  const SphericalSystem system = spheres_of(nfw_sphere(1e6, 1e5));
  const double unit = 4 * std::numbers::pi * system.profiles()[0].rho0();
  for (const double r : {0.01, 1.0, 10.0}) {
    const double expected = std::log1p(r) - r / (1 + r);
    EXPECT_NEAR(system.mass(std::log(r)) / unit / expected, 1, 1e-7) << r;
  }
  const double r_max = 2.162582;
  EXPECT_NEAR(system.mass(std::log(r_max)) / unit / r_max, 0.2162166, 1e-7);
}

TEST(SphericalSystem, CutoffKeepsTheTotalMass) {
  const SphericalSystem system = spheres_of(nfw_sphere());
  EXPECT_NEAR(system.mass(std::log(20.0)), 1, tolerance);
  EXPECT_LT(system.mass(std::log(5.0)), 1);
}

TEST(SphericalSystem, ComponentsShareOnePotential) {
  const Model model = bulge_and_halo();
  const SphericalSystem both = spheres_of(model);
  const SphericalSystem one = spheres_of(model_of(model.components[0]));
  const SphericalSystem other = spheres_of(model_of(model.components[1]));
  for (const double r : {0.001, 0.05, 0.3, 0.7}) {
    const double t = std::log(r);
    EXPECT_NEAR(both.mass(t) / (one.mass(t) + other.mass(t)), 1, tolerance);
    EXPECT_NEAR(both.potential(t) / (one.potential(t) + other.potential(t)), 1, tolerance);
    EXPECT_NEAR(both.density(r) / (one.density(r) + other.density(r)), 1, tolerance);
  }
}

TEST(SphericalSystem, TurningPointInvertsThePotential) {
  const SphericalSystem system = spheres_of(nfw_sphere());
  for (const double r : {0.001, 0.1, 3.0, 6.0}) {
    EXPECT_NEAR(system.turning_point(system.potential(std::log(r))), std::log(r), 1e-7);
  }
}

TEST(SphericalSystem, UsesTheGravitationalConstantOfTheUnits) {
  Model model = plummer_sphere();
  model.units = {.length_in_cm = files::kiloparsec,
                 .mass_in_g = 1e10 * files::solar_mass,
                 .velocity_in_cm_per_s = 1e5};
  const SphericalSystem system = spheres_of(model);
  EXPECT_NEAR(system.central_potential() / model.units.gravitational_constant(), 1, tolerance);
}

TEST(SphericalSystem, SpheresOfM31) {
  const SphericalSystem system = spheres_of(example("m31"));  // 1e10 solar masses and kpc
  EXPECT_NEAR(system.profiles()[0].rho0() / 0.00572023, 1, 1e-6);
  EXPECT_NEAR(system.mass(0, std::log(7.63)) / 6.167157, 1, 1e-6);
  EXPECT_NEAR(system.radius_of_mass(0, 81.1 / 2) / 58.132, 1, 1e-5);
  EXPECT_NEAR(system.profiles()[1].rho0() / 2.7579901, 1, 1e-6);
  EXPECT_NEAR(system.mass(1, std::log(0.61)) / 0.9833363, 1, 1e-6);
  EXPECT_NEAR(system.radius_of_mass(1, 3.24 / 2) / 1.09280, 1, 1e-5);
}

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, HaveSpheresInEquilibrium) {
  Model model = example(GetParam());
  std::erase_if(model.components, [](const Component& component) { return component.is_disc(); });
  const SphericalSystem system = spheres_of(model);
  for (std::size_t k = 0; k < model.components.size(); ++k) {
    if (model.components[k].is_black_hole()) continue;
    const DistributionFunction f(system, k, 2, model.components[k].anisotropy_radius);
    EXPECT_FALSE(f.is_negative()) << model.components[k].name;
    EXPECT_NEAR(virial_ratio(system, f, k), 1, 1e-5) << model.components[k].name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::Values("m31", "milky_way", "early_type"));

TEST(SphericalSystem, SteepCuspsHoldTheirMass) {
  // Jaffe (1983): M(r) = r / (1 + r), Psi(r) = ln((1 + r) / r), without bottom.
  const SphericalSystem system =
      spheres_of(model_of(uncut("double_power", "alpha = 1\nbeta = 4\ngamma = 2\n")));
  for (const double r : {1e-5, 0.1, 1.0, 30.0}) {
    EXPECT_NEAR(system.mass(std::log(r)) * (1 + r) / r, 1, 1e-7) << r;
    const double fall = system.deficit(std::log(2 * r)) - system.deficit(std::log(r));
    EXPECT_NEAR(fall / std::log(2 * (1 + r) / (1 + 2 * r)), 1, 1e-7) << r;
  }
}

TEST(SphericalSystem, BlackHolesPullAsSoftenedPoints) {
  const SphericalSystem system = spheres_of(bulge_with_black_hole());
  const double mass = 2e-3, softening = 1e-5;
  for (const double r : {1e-6, 1e-5, 1e-3}) {
    const double expected = mass * std::pow(1 + std::pow(softening / r, 2), -1.5);
    EXPECT_NEAR(system.mass(1, std::log(r)) / expected, 1, tolerance) << r;
  }
}

}  // namespace
}  // namespace gothic::ic
