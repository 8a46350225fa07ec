#include "ic/density_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "fixtures.hpp"
#include "ic/spherical_system.hpp"

namespace gothic::ic {
namespace {

DensityProfile profile_of(const Model& model) {
  return make_profile(model.components.back(), model.softening);
}

class Profiles : public ::testing::TestWithParam<Model> {
 protected:
  DensityProfile profile_ = profile_of(GetParam());
};

TEST_P(Profiles, DerivativesMatchFiniteDifferences) {
  const double scale = GetParam().components.back().scale;
  for (const double x : {0.01, 0.3, 0.9, 1.7, 4.5, 5.5}) {
    const double r = x * scale, h = 1e-5 * r;
    const Jet low = profile_.jet(r - h), middle = profile_.jet(r), high = profile_.jet(r + h);
    if (high.value == 0) continue;
    EXPECT_NEAR((high.value - low.value) / (2 * h) / middle.first, 1, 1e-7) << x;
    EXPECT_NEAR((high.first - low.first) / (2 * h) / middle.second, 1, 1e-6) << x;
  }
}

TEST_P(Profiles, HaveTheMassAskedFor) {
  const Model model = model_of(GetParam().components.back());
  const SphericalSystem system(model);
  const double mass = model.components.front().mass, outside = system.grid().last_t();
  EXPECT_NEAR(system.total_mass(0) / mass, 1, 1e-9);
  EXPECT_NEAR(system.mass(0, outside) / mass, 1, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, Profiles, ::testing::ValuesIn(every_sphere()));
INSTANTIATE_TEST_SUITE_P(InCompany, Profiles, ::testing::Values(bulge_and_halo()));

TEST(DensityProfile, IsHalvedAtTheCutoff) {
  const DensityProfile cut = profile_of(nfw_sphere(5, 0.5));
  const DensityProfile uncut = profile_of(nfw_sphere(1e9, 1));
  EXPECT_NEAR(cut(5) / uncut(5), 0.5, 1e-14);
  EXPECT_NEAR(cut(6) / uncut(6), std::erfc(1.0) / 2, 1e-14);
  EXPECT_NEAR(cut(1) / uncut(1), 1, 1e-7);
}

TEST(DensityProfile, OfABlackHoleHasItsSofteningOrTheModels) {
  Component hole{.name = "hole", .profile = ProfileKind::black_hole};
  EXPECT_EQ(make_profile(hole, 0.2).scale(), 0.2);
  EXPECT_THROW(make_profile(hole, 0), std::invalid_argument);
  hole.softening = 0.1;
  const DensityProfile profile = make_profile(hole, 0.2);
  EXPECT_EQ(profile.scale(), 0.1);
  EXPECT_NEAR(profile(0.1) / profile(1e-5), std::pow(2, -2.5), 1e-7);
}

TEST(DensityProfile, DiscsHaveNone) {
  EXPECT_THROW(make_profile({.name = "disc", .profile = ProfileKind::exponential_disc}, 1),
               std::invalid_argument);
}

}  // namespace
}  // namespace gothic::ic
