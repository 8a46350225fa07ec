#include "ic/sphere/spherical_system.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "fixtures.hpp"
#include "ic/diagnostics.hpp"

namespace gothic::ic {
namespace {

constexpr double accuracy = 1e-8;

/// Mass within r and D(2 r) - D(r), for G = a = 1.
struct ClosedForm {
  Model model;
  double unit;  ///< unit of the mass
  std::function<double(double)> mass, fall;
};

std::ostream& operator<<(std::ostream& out, const ClosedForm& form) { return out << form.model; }

class ClosedForms : public ::testing::TestWithParam<ClosedForm> {};

TEST_P(ClosedForms, AreMassAndPotential) {
  const auto& [model, unit, mass, fall] = GetParam();
  const SphericalSystem system = spheres_of(model);
  for (const double r : {1e-3, 0.1, 0.7, 1.0, 5.0, 100.0}) {
    const double t = std::log(r);
    EXPECT_NEAR(system.mass(t) / unit / mass(r), 1, 1e-7) << r;
    EXPECT_NEAR((system.deficit(t + std::log(2)) - system.deficit(t)) / unit / fall(r), 1, 1e-7)
        << r;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ClosedForms,
    ::testing::Values(
        ClosedForm{plummer_sphere(), 1, [](double r) { return std::pow(1 + 1 / (r * r), -1.5); },
                   [](double r) {
                     const double a = std::sqrt(1 + r * r), b = std::sqrt(1 + 4 * r * r);
                     return 3 * r * r / (a * b * (a + b));  // 1 / a - 1 / b
                   }},
        ClosedForm{hernquist_sphere(), 1, [](double r) { return std::pow(r / (1 + r), 2); },
                   [](double r) { return r / ((1 + r) * (1 + 2 * r)); }},
        // The cutoff is far out. The unit of mass is 4 pi rho0.
        ClosedForm{nfw_sphere(1e6, 1e5),
                   4 * std::numbers::pi* spheres_of(nfw_sphere(1e6, 1e5)).profiles()[0].rho0(),
                   [](double r) { return std::log1p(r) - r / (1 + r); },
                   [](double r) { return std::log1p(r) / r - std::log1p(2 * r) / (2 * r); }},
        // The sphere of Jaffe (1983), whose potential has no bottom.
        ClosedForm{model_of(uncut("double_power", "alpha = 1\nbeta = 4\ngamma = 2\n")), 1,
                   [](double r) { return r / (1 + r); },
                   [](double r) { return std::log(2 * (1 + r) / (1 + 2 * r)); }}));

TEST(SphericalSystem, PlummerHasItsRadiiAndEnergies) {
  const SphericalSystem system = spheres_of(plummer_sphere());
  EXPECT_NEAR(system.profiles()[0].rho0(), 3 / (4 * std::numbers::pi), accuracy);
  EXPECT_NEAR(system.central_potential(), 1, accuracy);
  EXPECT_NEAR(system.virial(0), -3 * std::numbers::pi / 32, accuracy);
  EXPECT_NEAR(system.radius_of_mass(0, 0.1), 0.524028, 1e-6);
  EXPECT_NEAR(system.radius_of_mass(0, 0.5), 1.304766, 1e-6);
  EXPECT_NEAR(system.radius_of_mass(0, 0.9), 3.707113, 1e-6);
}

TEST(SphericalSystem, ComponentsShareOnePotential) {
  const Model model = bulge_and_halo();
  const SphericalSystem both = spheres_of(model);
  const SphericalSystem one = spheres_of(model_of(model.components[0]));
  const SphericalSystem other = spheres_of(model_of(model.components[1]));
  for (const double r : {0.001, 0.05, 0.3, 0.7}) {
    const double t = std::log(r);
    EXPECT_NEAR(both.mass(t) / (one.mass(t) + other.mass(t)), 1, accuracy);
    EXPECT_NEAR(both.potential(t) / (one.potential(t) + other.potential(t)), 1, accuracy);
    EXPECT_NEAR(both.density_beside(0, r) / other.profiles()[0](r), 1, accuracy);
  }
}

TEST(SphericalSystem, BlackHolesPullAsSoftenedPoints) {
  const SphericalSystem system = spheres_of(bulge_with_black_hole());
  const double mass = 2e-3, softening = 1e-5;
  for (const double r : {1e-6, 1e-5, 1e-3}) {
    const double expected = mass * std::pow(1 + std::pow(softening / r, 2), -1.5);
    EXPECT_NEAR(system.mass(1, std::log(r)) / expected, 1, accuracy) << r;
  }
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
    EXPECT_NEAR(virial_ratio(f), 1, 1e-5) << model.components[k].name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::Values("m31", "milky_way", "early_type"));

}  // namespace
}  // namespace gothic::ic
