#include "ic/disc/disc_system.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "files/error.hpp"
#include "fixtures.hpp"

namespace gothic::ic {
namespace {

TEST(SurfaceDensity, Exponential) {
  const SurfaceDensity surface(exponential_disc(0.1).components[0]);
  EXPECT_NEAR(surface.central() * 2 * std::numbers::pi, 1, 1e-10);
  EXPECT_NEAR(surface.radius_of_mass(0.5), 1.678347, 1e-6);
  EXPECT_NEAR(surface(3) / surface.central(), std::exp(-3.0), 1e-14);
  EXPECT_NEAR(surface.mass(2), 1 - 3 * std::exp(-2.0), 1e-9);
}

TEST(SurfaceDensity, SersicHoldsHalfOfItsMassWithinTheEffectiveRadius) {
  for (const double n : {0.5, 1.0, 2.5}) {
    Component disc =
        component("sersic_disc", "height = 0.1\nsigma_r = 1\nn = " + std::to_string(n));
    disc.mass = 3;
    disc.scale = 2;
    const SurfaceDensity surface(disc);
    EXPECT_NEAR(surface.mass(2), 1.5, 1e-7) << n;
    EXPECT_NEAR(surface.mass(surface.outer_radius()), 3, 1e-9) << n;
  }
}

TEST(SurfaceDensity, IsHalvedAtTheCutoff) {
  Component disc = exponential_disc(0.1).components[0];
  disc.cutoff = 4;
  disc.cutoff_width = 0.5;
  const SurfaceDensity surface(disc);
  EXPECT_NEAR(surface(4) / surface.central(), std::exp(-4.0) / 2, 1e-14);
  EXPECT_EQ(surface(surface.outer_radius()), 0);
}

/// Miyamoto & Nagai (1975), G = M = a = 1.
struct MiyamotoNagai {
  double b;

  double density(double R, double z) const {
    const double root = std::hypot(z, b), depth = 1 + root;
    return b * b / (4 * std::numbers::pi) * (R * R + (1 + 3 * root) * depth * depth) /
           (std::pow(R * R + depth * depth, 2.5) * root * root * root);
  }
  double potential(double R, double z) const { return -1 / std::hypot(R, 1 + std::hypot(z, b)); }
};

TEST(MultipolePotential, MiyamotoNagai) {
  const MiyamotoNagai disc{0.8};
  MultipolePotential potential(1e-3, 3e5, 1024, {.height = 0.8, .thickness = 1e9, .extent = 60});
  potential.solve([&](double R, double z) { return disc.density(R, z); }, 2);
  for (const double R : {0.001, 0.1, 0.5, 1.0, 3.0, 10.0, 30.0}) {
    for (const double z : {0.0, 0.05, 0.3, 1.0, 4.0}) {
      EXPECT_NEAR(potential(R, {z}).front() / disc.potential(R, z), 1, 1e-6) << R << ' ' << z;
    }
  }
}

/// The sheet's density and velocities from its distribution function, by quadrature.
TEST(LoweredIsothermal, MomentsOfItsDistributionFunction) {
  const LoweredIsothermal sheet{.variance = 0.7, .top = 2.1};
  double reference = 0;
  for (const double rise : {0.0, 0.3, 1.4, 2.0, 2.0999}) {
    const double fastest = std::sqrt(2 * (sheet.top - rise));
    double mass = 0, square = 0;
    const int intervals = 20000;
    for (int i = 0; i < intervals; ++i) {
      const double v = (i + 0.5) / intervals * fastest;
      const double f =
          std::exp(-(rise + v * v / 2) / sheet.variance) - std::exp(-sheet.top / sheet.variance);
      mass += f * fastest / intervals;
      square += f * v * v * fastest / intervals;
    }
    if (rise == 0) reference = mass / sheet.density(0);
    EXPECT_NEAR(sheet.density(rise) * reference / mass, 1, 1e-6) << rise;
    EXPECT_NEAR(sheet.mean_square_velocity(rise) * mass / square, 1, 1e-4) << rise;
  }
  EXPECT_EQ(sheet.density(2.2), 0);
}

TEST(ThickDisc, IsolatedSheetIsThatOfSpitzer) {
  // A thin disc alone has rho ~ sech^2(z / z0), which falls by e at 1.085 z0.
  const Galaxy galaxy(exponential_disc(0.005));
  const ThickDisc& disc = *galaxy.disc(0);
  const double z0 = 0.005 / std::acosh(std::exp(0.5));
  for (const double R : {1.0, 2.0}) {
    for (const double z : {0.002, 0.005, 0.01}) {
      const double expected = std::pow(std::cosh(z / z0), -2);
      EXPECT_NEAR(disc.density(R, z) / disc.density(R, 0) / expected, 1, 0.02) << R << ' ' << z;
    }
  }
}

class Discs : public ::testing::TestWithParam<Model> {
 protected:
  void expect_columns_of_the_surface_density() const;
  void expect_poissons_equation() const;

  Galaxy galaxy_{GetParam(), 2};
  const DiscSystem& discs_ = *galaxy_.discs();
  const ThickDisc& disc_ = discs_.disc(0);
};

void Discs::expect_columns_of_the_surface_density() const {
  const double scale = disc_.component().scale;
  for (const double x : {0.013, 0.2, 1.1, 3.7}) {
    double sum = 0;
    const int intervals = 4000;
    const double step = disc_.grid().top() / intervals;
    for (int i = 0; i < intervals; ++i) {
      sum += 2 * step * disc_.density(x * scale, (i + 0.5) * step);
    }
    EXPECT_NEAR(sum / disc_.surface()(x * scale), 1, 2e-5) << x;
  }
}

/// Poisson's equation at a few points, by finite differences of the potential.
void Discs::expect_poissons_equation() const {
  const double h = 0.1 * disc_.component().disc.height;
  for (const double x : {0.5, 1.0, 3.0}) {
    for (const double y : {0.5, 1.0, 2.0}) {
      const double R = x * disc_.component().scale, z = y * disc_.component().disc.height;
      // Differences of fourth order in h.
      const auto second = [&](auto at) {
        return (-at(-2) + 16 * at(-1) - 30 * at(0) + 16 * at(1) - at(2)) / (12 * h * h);
      };
      const auto first = [&](auto at) {
        return (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h);
      };
      const auto along_R = [&](int i) { return discs_.disc_potential(R + i * h, {z}).front(); };
      const auto along_z = [&](int i) { return discs_.disc_potential(R, {z + i * h}).front(); };
      const double laplacian = second(along_R) + first(along_R) / R + second(along_z);
      double density = 0;
      for (std::size_t d = 0; d < discs_.size(); ++d) density += discs_.disc(d).density(R, z);
      EXPECT_NEAR(laplacian / (4 * std::numbers::pi * galaxy_.gravitational_constant() * density),
                  1, 1e-3)
          << x << ' ' << y;
    }
  }
}

/// All checks are in one test, since settling the galaxy takes most of the time.
TEST_P(Discs, ObeyTheirEquations) {
  const double scale = disc_.component().scale, height = disc_.component().disc.height;
  for (const double x : {0.5, 1.0, 2.0, 5.0}) {
    const double fall = disc_.density(x * scale, height) / disc_.density(x * scale, 0);
    EXPECT_NEAR(fall, std::exp(-1.0), 1e-5) << x;
  }
  expect_columns_of_the_surface_density();
  expect_poissons_equation();
  for (std::size_t d = 0; d < discs_.size(); ++d) {
    const double mass = discs_.disc(d).component().mass;
    EXPECT_NEAR(discs_.spherical_average(d).with_mass(mass).rho0(), 1, 1e-5) << d;
    const DiscKinematics& kinematics = *galaxy_.kinematics(discs_.component(d));
    EXPECT_NEAR(kinematics.virial_ratio(), 1, 1e-3) << d;
    EXPECT_LT(kinematics.too_hot(), 0.01) << d;
  }
}

Model thin_and_thick() {
  Model model = disc_in_halo();
  Component thick = exponential_disc(0.3).components.front();
  thick.name = "thick";
  thick.mass = 0.2;
  thick.scale = 1.3;
  thick.disc = {.height = 0.3, .sigma_r = 0.5};
  model.components.push_back(thick);
  return model;
}

INSTANTIATE_TEST_SUITE_P(Models, Discs,
                         ::testing::Values(exponential_disc(0.1), disc_in_halo(), thin_and_thick(),
                                           example("m31")));

TEST(ExponentialDisc, RotationApproachesThatOfTheThinDisc) {
  // Freeman (1970): v(1, 2.2, 5) for G = M = R_d = 1. The change by the height is nearly linear in
  // the height.
  const Galaxy one(exponential_disc(0.02), 2), half(exponential_disc(0.01), 2),
      quarter(exponential_disc(0.005), 2);
  const std::array<std::array<double, 2>, 3> expected{
      {{1, 0.527218}, {2.2, 0.622022}, {5, 0.489275}}};
  for (const auto [R, speed] : expected) {
    const double a = one.circular_speed(R), b = half.circular_speed(R),
                 c = quarter.circular_speed(R);
    const double linear = 2 * c - b, before = 2 * b - a;
    EXPECT_NEAR(linear + (linear - before) / 3, speed, 1e-5) << R;
    EXPECT_NEAR(c, speed, 2e-3) << R;
  }
}

TEST(Andromeda, RotationCurve) {
  // Sums over the particles of another generator's model, good to 0.5 km/s and rounded.
  const std::array<std::array<double, 2>, 10> expected{{{0.75, 277},
                                                        {1.5, 268},
                                                        {2.7, 257},
                                                        {4, 253.5},
                                                        {5.4, 251.5},
                                                        {8, 249},
                                                        {10.8, 247.4},
                                                        {16.2, 239.8},
                                                        {21.6, 231.1},
                                                        {27, 221.8}}};
  for (const auto [R, speed] : expected) {
    EXPECT_NEAR(andromeda().circular_speed(R), speed, 1.0) << R;
    EXPECT_NEAR(andromeda().circular_speed(R) / andromeda().kinematics(2)->circular_speed(R), 1,
                1e-4);
  }
}

TEST(Andromeda, MeanRotationHasAsymmetricDrift) {
  // The disc is thin here; nearer to the centre sigma_R rises to sigma_z.
  const std::array<std::array<double, 2>, 5> expected{
      {{5.4, 248.1}, {8, 246.0}, {10.8, 244.4}, {16.2, 238.1}, {27, 221.4}}};
  for (const auto [R, speed] : expected) {
    EXPECT_NEAR(andromeda().kinematics(2)->motion(R, 0).mean_rotation, speed, 0.6) << R;
  }
}

TEST(Andromeda, ToomreQ) {
  const DiscKinematics& disc = *andromeda().kinematics(2);
  EXPECT_NEAR(disc.toomre_q(5.4), 2, 1e-6);
  double lowest = 10, where = 0;
  for (double R = 2; R < 40; R += 0.1) {
    if (disc.toomre_q(R) < lowest) {
      lowest = disc.toomre_q(R);
      where = R;
    }
  }
  EXPECT_NEAR(lowest, 1.60, 0.02);
  EXPECT_NEAR(where, 12.3, 0.3);
}

/// The |z| within which half of the stars at R are.
double median_height(const ThickDisc& disc, double axis_distance) {
  const double step = disc.grid().top() / 20000;
  std::vector<double> within{0};
  for (double z = step / 2; z < disc.grid().top(); z += step) {
    within.push_back(within.back() + disc.density(axis_distance, z));
  }
  const auto half = std::lower_bound(within.begin(), within.end(), within.back() / 2);
  return step * static_cast<double>(half - within.begin());
}

TEST(Discs, HaveTheMedianHeightOfTheScaleHeightThatIsGiven) {
  const std::string halo =
      "[[component]]\nname = 'halo'\nprofile = 'hernquist'\nmass = 20\nscale = 5\ncutoff = 100\n"
      "cutoff_width = 10\n";
  for (const auto& [key, median] :
       {std::pair{"sech2_height", std::atanh(0.5)}, std::pair{"exponential_height", std::log(2)}}) {
    const std::string disc =
        "[[component]]\nname = 'disc'\nprofile = 'exponential_disc'\nmass = 1\nscale = 1\n" +
        std::string(key) + " = 0.1\ntoomre_q = 1.5\n";
    const Galaxy alone(parse_model(disc, "m.toml")), held(parse_model(disc + halo, "m.toml"));
    EXPECT_NEAR(median_height(*alone.disc(0), 1), 0.1 * median, 0.03 * 0.1 * median) << key;
    EXPECT_NEAR(median_height(*held.disc(0), 1), 0.1 * median, 0.06 * 0.1 * median) << key;
  }
}

TEST(Discs, HaveOneHeight) {
  const std::string both = "height = 0.1\nsech2_height = 0.1\ntoomre_q = 1.5\n";
  EXPECT_THROW(component("exponential_disc", both), InputError);
  EXPECT_THROW(component("exponential_disc", "toomre_q = 1.5\n"), InputError);
}

TEST(Discs, ThatAreTooColdAreWarnedOf) {
  const auto warnings = [](const std::string& q) {
    return Galaxy(model_of(component("exponential_disc", "height = 0.1\ntoomre_q = " + q)))
        .warnings();
  };
  EXPECT_TRUE(warnings("2").empty());
  ASSERT_EQ(warnings("0.9").size(), 1U);
  EXPECT_TRUE(warnings("0.9")[0].starts_with("component 'exponential_disc': Toomre's Q is 0."));
}

}  // namespace
}  // namespace gothic::ic
