#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <numbers>

#include "files/error.hpp"
#include "fixtures.hpp"

namespace gothic::ic {
namespace {

using std::numbers::pi;

const std::string galactic =
    "[units]\nlength_in_cm = 3.085678e21\nmass_in_g = 1.989e43\nvelocity_in_cm_per_s = 1e5\n";

Component halo(const std::string& profile, const std::string& keys,
               const std::string& units = galactic) {
  const std::string text = units + "[[component]]\nname = \"a\"\nprofile = \"" + profile + "\"\n";
  return parse_model(text + keys, "m.toml").components.front();
}

/// rho0 of a profile whose total mass is the component's.
double rho0(const Component& component) {
  return component.density_profile().with_mass(component.mass).rho0();
}

/// 200 times the critical density for H0 in km/s/Mpc, in 1e10 solar masses per kpc^3.
double overdensity(double h0) {
  constexpr double gravity = 43007.1;
  return 200 * 3 * (h0 / 1000) * (h0 / 1000) / (8 * pi * gravity);
}

TEST(Masses, ScaleMassIsFourPiRhoTimesTheCubeOfTheScale) {
  const Component nfw = halo("nfw", "scale_mass = 54\nscale = 15.62\n" + cutoff(200, 20));
  EXPECT_NEAR(4 * pi * rho0(nfw) * std::pow(15.62, 3), 54, 1e-6 * 54);
  const double uncut = std::log1p(200 / 15.62) - 1 / (1 + 15.62 / 200);
  EXPECT_NEAR(nfw.mass, 54 * uncut, 0.01 * nfw.mass);
}

TEST(Masses, HaloHasItsMassWithinTheRadiusOf200TimesTheCriticalDensity) {
  for (const double h0 : {70.0, 50.0}) {
    const std::string keys = "m200 = 100\nconcentration = 10\n";
    const std::string given = keys + (h0 == 70 ? "" : "h0 = 50\n");
    const Component nfw = halo("nfw", given), einasto = halo("einasto", given + "alpha = 0.17\n");
    const double r200 = std::cbrt(100 / (4 * pi / 3 * overdensity(h0)));
    for (const Component& component : {nfw, einasto}) {
      EXPECT_NEAR(component.scale, r200 / 10, 1e-5 * r200);
      EXPECT_EQ(component.cutoff, 10 * component.scale);
      EXPECT_EQ(component.cutoff_width, component.scale);
    }
    const double volume = 4 * pi * std::pow(r200 / 10, 3);
    const double within_nfw = rho0(nfw) * volume * (std::log(11.0) - 10.0 / 11);
    EXPECT_NEAR(within_nfw, 100, 1e-2);
    const double b = 2 / 0.17, power = 3 / 0.17;
    const double within_einasto = rho0(einasto) * volume * std::exp(b - power * std::log(b)) /
                                  0.17 * boost::math::tgamma_lower(power, b * std::pow(10, 0.17));
    EXPECT_NEAR(within_einasto, 100, 1e-2);
  }
}

TEST(Masses, HaloMayHaveItsOwnCutoff) {
  const std::string keys = "m200 = 100\nconcentration = 10\ncutoff = 300\n";
  EXPECT_EQ(halo("nfw", keys).cutoff, 300);
  EXPECT_EQ(halo("nfw", keys).cutoff_width, 30);
  EXPECT_EQ(halo("nfw", keys + "cutoff_width = 10\n").cutoff_width, 10);
}

/// The error about a component, without its line.
std::string error_of(const std::string& profile, const std::string& keys,
                     const std::string& units = galactic) {
  try {
    halo(profile, keys, units);
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.substr(message.find("component."));
  }
  return "no error";
}

TEST(Masses, AreGivenInOneWay) {
  const std::string end = cutoff(200, 20), virial = "m200 = 100\nconcentration = 10\n";
  EXPECT_EQ(error_of("nfw", "mass = 1\nscale_mass = 1\nscale = 1\n" + end),
            "component.scale_mass: is given beside mass; leave out one of them");
  EXPECT_EQ(error_of("nfw", "scale_mass = 1\n" + virial),
            "component.m200: is given beside scale_mass; leave out one of them");
  EXPECT_EQ(error_of("nfw", "scale = 1\n" + virial),
            "component.scale: is given beside m200, whose scale is r200 / concentration; leave it "
            "out");
  EXPECT_EQ(error_of("nfw", "mass = 1\nscale = 1\nh0 = 70\n" + end),
            "component.h0: is given without m200; leave it out");
  EXPECT_EQ(error_of("nfw", "scale = 1\n" + end),
            "component.mass: is missing; add one of: mass, scale_mass, m200");
  EXPECT_EQ(error_of("plummer", "scale = 1\n"), "component.mass: is missing; add it");
  EXPECT_EQ(error_of("nfw", "m200 = 100\n"), "component.concentration: is missing; add it");
  EXPECT_EQ(error_of("nfw", virial, ""),
            "component.m200: needs physical units; add [units], or give another mass and the "
            "scale");
}

}  // namespace
}  // namespace gothic::ic
