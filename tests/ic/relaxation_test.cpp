#include "ic/relaxation.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "fixtures.hpp"

namespace gothic::ic {
namespace {

using std::numbers::pi;

/// The mean of 1 / abs(v - v') over Maxwell's distribution of v'; over all directions of v' alone
/// the mean is 1 / max(v, v').
double mean_inverse_speed(double v, double sigma) {
  constexpr int steps = 200000;
  const double top = 12 * sigma, step = top / steps;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double u = (i + 0.5) * step;
    sum += u * u * std::exp(-u * u / (2 * sigma * sigma)) / std::max(u, v);
  }
  return sum * step * std::sqrt(2 / pi) / (sigma * sigma * sigma);
}

TEST(Relaxation, HeatingIsTheSumOverAllEncounters) {
  // D = 8 pi G^2 rho m ln(Lambda) <1 / abs(v - v')> (Rosenbluth, MacDonald & Judd 1957).
  const Medium medium{.density = 0.3, .dispersion = 1.7, .particle_mass = 0.01};
  for (const double speed : {0.1, 1.0, 3.0, 20.0}) {
    const double expected = 8 * pi * 4 * 0.3 * 0.01 * 5 * mean_inverse_speed(speed, 1.7);
    EXPECT_NEAR(heating_rate(medium, speed, 5, 2), expected, 1e-6 * expected) << speed;
  }
}

TEST(Relaxation, OfOneIsothermalPopulationIsThatOfSpitzer) {
  // The mean square of the velocity along the motion grows by sigma^2 in 0.34 sigma^3 / (G^2 m rho
  // ln(Lambda)) (Binney & Tremaine 2008, eq. 7.106). This growth is the fraction G(X) / erf(X) of
  // D.
  const double sigma = 2, x = std::sqrt(1.5);
  const double chandrasekhar =
      (std::erf(x) - x * 2 / std::sqrt(pi) * std::exp(-x * x)) / (2 * x * x);
  const double rate = heating_rate({0.5, sigma, 0.1}, std::sqrt(3) * sigma, 3, 1);
  const double along = rate * chandrasekhar / std::erf(x);
  EXPECT_NEAR(sigma * sigma / along, 0.34 * sigma * sigma * sigma / (0.1 * 0.5 * 3), 0.7);
}

TEST(Relaxation, OfAPlummerSphereFollowsFromDensityAndDispersion) {
  const Galaxy galaxy(plummer_sphere());
  const double radius = 1 / std::sqrt(std::pow(0.5, -2.0 / 3) - 1), s = 1 + radius * radius;
  const double density = 3 / (4 * pi) * std::pow(s, -2.5), square = 1 / (2 * std::sqrt(s));
  const double logarithm = std::log(radius / 0.01);
  const double rate =
      heating_rate({density, std::sqrt(square / 3), 1e-3}, std::sqrt(square), logarithm, 1);
  const Encounters found = encounters(galaxy, 0, samples_of(galaxy.model(), 1000), 0.01);
  EXPECT_NEAR(found.time, square / rate, 1e-3 * found.time);
}

TEST(Relaxation, HeavyParticlesHeatLightOnes) {
  Model model = disc_in_halo();
  const std::size_t disc = model.components[0].is_disc() ? 0 : 1, halo = 1 - disc;
  const Galaxy galaxy(model);
  std::vector<Sample> samples(2);
  samples[disc] = {100000, model.components[disc].mass / 100000};
  samples[halo] = {10000, model.components[halo].mass / 10000};
  const Encounters heavy = encounters(galaxy, disc, samples, 1e-3);
  EXPECT_EQ(heavy.source, halo);
  const auto warnings = encounter_warnings(galaxy, samples, 1e-3, 1.01 * heavy.time);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("encounters with particles of 'hernquist', 200 times heavier, change"),
            std::string::npos)
      << warnings[0];
  samples[halo] = {100000, model.components[halo].mass / 100000};
  EXPECT_GT(encounters(galaxy, disc, samples, 1e-3).time, 3 * heavy.time);
}

TEST(Relaxation, SofteningBeyondTheHalfMassRadiusIsWarnedOf) {
  const Galaxy galaxy(plummer_sphere());
  const std::vector<Sample> samples = samples_of(galaxy.model(), 1000);
  EXPECT_TRUE(encounter_warnings(galaxy, samples, 1.2, 1).empty());
  const auto warnings = encounter_warnings(galaxy, samples, 1.4, 1);
  ASSERT_EQ(warnings.size(), 1U);  // the half-mass radius is 1.305 scales
  EXPECT_NE(warnings[0].find("softening 1.4 is longer than the half-mass radius 1.3"),
            std::string::npos)
      << warnings[0];
}

TEST(Relaxation, IsWarnedOfWithinTheDuration) {
  const Galaxy galaxy(bulge_and_halo());
  std::vector<Sample> samples = samples_of(galaxy.model(), 1000);
  const double time = encounters(galaxy, 1, samples, 1e-3).time;
  EXPECT_TRUE(encounter_warnings(galaxy, samples, 1e-3, 0.99 * time).empty());
  const auto warnings = encounter_warnings(galaxy, samples, 1e-3, 1.01 * time);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(
      warnings[0].starts_with("component 'hernquist': encounters of its own particles "
                              "change it within "));
  EXPECT_TRUE(
      warnings[0].ends_with("; draw about 1.01 k particles or give 'hernquist' a larger "
                            "share"))
      << warnings[0];
}

TEST(Relaxation, UsualDurationIsTenGigayearsOrAHundredDynamicalTimes) {
  const Galaxy plummer(plummer_sphere());
  const double radius = 1 / std::sqrt(std::pow(0.5, -2.0 / 3) - 1);
  EXPECT_NEAR(usual_duration(plummer), 100 * std::sqrt(2 * std::pow(radius, 3)), 0.1);
  Model galactic = plummer_sphere();
  galactic.units = {3.085678e21, 1.989e43, 1e5};
  EXPECT_NEAR(usual_duration(Galaxy(galactic)), 10.227, 1e-3);
}

}  // namespace
}  // namespace gothic::ic
