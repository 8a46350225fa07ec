#include "ic/sphere/distribution_function.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "fixtures.hpp"
#include "ic/diagnostics.hpp"
#include "ic/sphere/sphere_sampler.hpp"

namespace gothic::ic {
namespace {

constexpr double tolerance = 1e-5;

double dispersion(const DistributionFunction& f, double radius) {
  return SpeedDistribution(f, std::log(radius)).radial_dispersion();
}

TEST(DistributionFunction, OfPlummerIsAPowerOfTheEnergy) {
  const SphericalSystem system = spheres_of(plummer_sphere());
  const DistributionFunction f(system, 0);
  for (const double r : {0.01, 0.1, 1.0, 3.0, 30.0}) {
    const double energy = 1 / std::sqrt(1 + r * r);
    EXPECT_NEAR(f.at(std::log(r)) / (0.15637905 * std::pow(energy, 3.5)), 1, tolerance) << r;
    EXPECT_NEAR(dispersion(f, r) / std::sqrt(energy / 6), 1, tolerance) << r;
  }
}

TEST(DistributionFunction, OfHernquistHasItsClosedForm) {
  const SphericalSystem system = spheres_of(hernquist_sphere());
  const DistributionFunction f(system, 0);
  const auto at_energy = [&](double energy) { return f.at(std::log(1 / energy - 1)); };
  EXPECT_NEAR(at_energy(0.1) / 2.687741e-4, 1, tolerance);
  EXPECT_NEAR(at_energy(0.5) / 3.799544e-2, 1, tolerance);
  EXPECT_NEAR(at_energy(0.9) / 4.182708, 1, tolerance);
  const auto variance = [&](double r) { return std::pow(dispersion(f, r), 2); };
  EXPECT_NEAR(variance(0.1) / 0.08709925, 1, tolerance);
  EXPECT_NEAR(variance(1) / 0.08684411, 1, tolerance);
  EXPECT_NEAR(variance(10) / 0.01788713, 1, tolerance);
}

TEST(DistributionFunction, NfwDispersionWithDistantCutoff) {
  const SphericalSystem system = spheres_of(nfw_sphere(1e6, 1e5));
  const DistributionFunction f(system, 0);
  const double unit = 4 * std::numbers::pi * system.profiles()[0].rho0();
  const auto variance = [&](double r) { return std::pow(dispersion(f, r), 2) / unit; };
  EXPECT_NEAR(variance(0.1) / 0.05889361, 1, tolerance);
  EXPECT_NEAR(variance(1) / 0.09343940, 1, tolerance);
  EXPECT_NEAR(variance(10) / 0.04437937, 1, tolerance);
}

/// Expects that f gives back the density at radii that hold these fractions of the mass.
void expect_density(const DistributionFunction& f) {
  const SphericalSystem& system = f.system();
  const std::size_t k = f.component();
  for (const double fraction : {1e-4, 1e-3, 0.1, 0.5, 0.9, 0.99}) {
    const double radius = system.radius_of_mass(k, fraction * system.total_mass(k));
    const SpeedDistribution speeds(f, std::log(radius));
    EXPECT_NEAR(speeds.density() / system.profiles()[k](radius), 1, tolerance) << radius;
  }
}

class EveryComponent : public ::testing::TestWithParam<Model> {};

TEST_P(EveryComponent, HasItsDensityInVirialEquilibrium) {
  const SphericalSystem system = spheres_of(GetParam());
  for (std::size_t k = 0; k < system.profiles().size(); ++k) {
    const DistributionFunction f(system, k);
    expect_density(f);
    EXPECT_GT(f.minimum().value, 0);
    EXPECT_EQ(f.negative_mass_fraction(), 0);
    EXPECT_NEAR(virial_ratio(f), 1, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryComponent, ::testing::ValuesIn(every_sphere()));
INSTANTIATE_TEST_SUITE_P(InCompany, EveryComponent, ::testing::Values(bulge_and_halo()));

TEST(DistributionFunction, AKingModelEndsWithinAHalo) {
  const SphericalSystem system = spheres_of(cluster_in_halo());
  const DistributionFunction f(system, 1);
  EXPECT_GT(f.minimum().value, 0);
  EXPECT_LT(std::exp(f.last_t()), 4);
  EXPECT_EQ(f.at(f.last_t() + 0.01), 0);
  EXPECT_EQ(SpeedDistribution(f, f.last_t() + 0.01).density(), 0);
  EXPECT_NEAR(virial_ratio(f), 1, tolerance);
  expect_density(f);
}

TEST(DistributionFunction, OfStarsAroundABlackHole) {
  const SphericalSystem system = spheres_of(bulge_with_black_hole());
  const DistributionFunction f(system, 0);
  EXPECT_GT(f.minimum().value, 0);
  EXPECT_NEAR(virial_ratio(f), 1, tolerance);
  // sigma^2 in a cusp r^-1 is G M / (2 r) where the black hole rules, well outside its softening.
  const double r = 0.0005;
  EXPECT_NEAR(std::pow(dispersion(f, r), 2) * 2 * r / system.mass(std::log(r)), 1, 0.02);
}

class Anisotropic : public ::testing::TestWithParam<Model> {
 protected:
  static constexpr double radius_ = 1.5;
  SphericalSystem system_ = spheres_of(GetParam());
  DistributionFunction f_{system_, 0, 1, radius_};
};

TEST_P(Anisotropic, ObeysTheJeansEquation) {
  // sigma_r^2 rho (r^2 + r_a^2) = integral from r of rho (s^2 + r_a^2) G M / s^2 ds, by the
  // trapezoidal rule in ln s.
  const auto integrand = [&](double t) {
    const double s = std::exp(t);
    return system_.profiles()[0](s) * (s * s + radius_ * radius_) * system_.mass(t) / s;
  };
  for (const double r : {0.03, 0.4, 1.0, 4.0}) {
    const int steps = 5000;
    const double first = std::log(r), h = (system_.grid().last_t() - first) / steps;
    double sum = integrand(first) / 2;
    for (int k = 1; k < steps; ++k) sum += integrand(first + k * h);
    const double stretch = 1 + std::pow(r / radius_, 2);
    const double expected = sum * h / (system_.profiles()[0](r) * radius_ * radius_ * stretch);
    const SpeedDistribution speeds(f_, first);
    EXPECT_NEAR(std::pow(speeds.radial_dispersion(), 2) / expected, 1, tolerance) << r;
    EXPECT_NEAR(std::pow(speeds.tangential_dispersion(), 2) * stretch / expected, 1, tolerance);
    EXPECT_NEAR(speeds.density() / system_.profiles()[0](r), 1, tolerance);
  }
  EXPECT_FALSE(f_.is_negative());
  EXPECT_NEAR(virial_ratio(f_), 1, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Models, Anisotropic,
                         ::testing::Values(cut_hernquist_sphere(), sersic_sphere(4)));

TEST(DistributionFunction, AnisotropicPlummerClosedForm) {
  // Merritt (1985): rho_Q = 3 / (4 pi) ((1 - 1 / a^2) Psi^5 + Psi^3 / a^2).
  const double a = 1.3;
  const SphericalSystem system = spheres_of(plummer_sphere());
  const DistributionFunction f(system, 0, 1, a);
  const auto of_power = [](double n, double q) {
    return std::tgamma(n + 1) / std::tgamma(n - 0.5) * std::pow(2 * std::numbers::pi, -1.5) *
           std::pow(q, n - 1.5);
  };
  for (const double q : {0.03, 0.3, 0.9}) {  // Psi is 1 / sqrt(1 + r^2)
    const double expected = 3 / (4 * std::numbers::pi) *
                            ((1 - 1 / (a * a)) * of_power(5, q) + of_power(3, q) / (a * a));
    EXPECT_NEAR(f.at(std::log(1 / (q * q) - 1) / 2) / expected, 1, tolerance) << q;
  }
}

TEST(DistributionFunction, TooRadialOrbitsAreInconsistent) {
  const SphericalSystem system = spheres_of(plummer_sphere());
  EXPECT_FALSE(DistributionFunction(system, 0, 1, 0.9).is_negative());
  EXPECT_TRUE(DistributionFunction(system, 0, 1, 0.7).is_negative());
}

TEST(DistributionFunction, SharpCutoffIsInconsistent) {
  const SphericalSystem system = spheres_of(nfw_sphere(5, 0.1));
  const DistributionFunction f(system, 0);
  EXPECT_TRUE(f.is_negative());
  EXPECT_NEAR(f.minimum().radius, 5, 0.5);
  // Without its negative part f gives too much density; the excess is the negative mass.
  double mass = 0;
  const RadialGrid& grid = system.grid();
  for (std::size_t i = 0; i + 1 < grid.size(); i += 4) {
    const double r = grid.radius(i);
    const double excess = SpeedDistribution(f, grid.t(i)).density() - system.profiles()[0](r);
    mass += 4 * std::numbers::pi * r * r * r * excess * 4 * grid.step();
  }
  EXPECT_NEAR(f.negative_mass_fraction() / mass, 1, 0.02);
}

TEST(SphereSampler, SpeedsMatchTheExactQuantiles) {
  const SphericalSystem system = spheres_of(nfw_sphere());
  const DistributionFunction f(system, 0);
  const SphereSampler sampler(f);
  for (const double radius : {0.01234, 0.1357, 1.05, 3.3, 6.1}) {
    const SpeedDistribution exact(f, std::log(radius));
    for (const double q : {1e-4, 1e-3, 0.1, 0.37, 0.5, 0.8, 0.99, 0.9999}) {
      EXPECT_NEAR(sampler.speed(std::log(radius), q) / exact.quantile(q), 1, 2e-4)
          << radius << ' ' << q;
    }
  }
}

}  // namespace
}  // namespace gothic::ic
