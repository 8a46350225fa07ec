#include "files/units.hpp"

#include <gtest/gtest.h>

namespace gothic::files {
namespace {

TEST(Units, ModelUnitsHaveGravitationalConstantOne) {
  EXPECT_EQ(Units{}.gravitational_constant(), 1.0);
  EXPECT_EQ(Units{}.time_in_s(), 1.0);
}

TEST(Units, GravitationalConstantOfKiloparsecAndKilometrePerSecond) {
  const Units units{
      .length_in_cm = kiloparsec, .mass_in_g = 1e10 * solar_mass, .velocity_in_cm_per_s = 1e5};
  EXPECT_NEAR(units.gravitational_constant() / 43007.1, 1.0, 1e-6);
  EXPECT_NEAR(units.time_in_s() / 3.0857e16, 1.0, 1e-4);
}

TEST(Units, GravitationalConstantOfGalacticUnits) {
  const Units units{.length_in_cm = kiloparsec,
                    .mass_in_g = 1e8 * solar_mass,
                    .velocity_in_cm_per_s = 9.777922e5};
  EXPECT_NEAR(units.gravitational_constant() / 4.498332, 1.0, 2e-5);
  EXPECT_NEAR(units.time_in_s() / (1e8 * 3.15576e7), 1.0, 1e-4);
}

}  // namespace
}  // namespace gothic::files
