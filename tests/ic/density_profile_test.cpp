#include "ic/density_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fixtures.hpp"

namespace gothic::ic {
namespace {

class Profiles : public ::testing::TestWithParam<Model> {
 protected:
  DensityProfile profile_{GetParam().components.back()};
};

TEST_P(Profiles, DerivativesMatchFiniteDifferences) {
  const double scale = profile_.component().scale;
  for (const double x : {0.01, 0.3, 1.0, 2.5, 4.5, 5.5}) {
    const double r = x * scale, h = 1e-5 * r;
    const Jet low = profile_.jet(r - h), middle = profile_.jet(r), high = profile_.jet(r + h);
    EXPECT_NEAR((high.value - low.value) / (2 * h) / middle.first, 1, 1e-7) << x;
    EXPECT_NEAR((high.first - low.first) / (2 * h) / middle.second, 1, 1e-6) << x;
  }
}

TEST_P(Profiles, FollowTheirPowerLaws) {
  const double scale = profile_.component().scale;
  const Jet inside = profile_.jet(1e-6 * scale);
  EXPECT_NEAR(-inside.first / inside.value * 1e-6 * scale, profile_.inner_slope(), 1e-5);
  if (profile_.component().cutoff > 0) return;
  const Jet outside = profile_.jet(1e6 * scale);
  EXPECT_NEAR(-outside.first / outside.value * 1e6 * scale, profile_.outer_slope(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, Profiles,
                         ::testing::Values(plummer_sphere(), hernquist_sphere(), nfw_sphere(),
                                           nfw_sphere(3, 0.7), bulge_and_halo()));

TEST(DensityProfile, IsHalvedAtTheCutoff) {
  const DensityProfile cut(nfw_sphere(5, 0.5).components.front());
  const DensityProfile uncut(nfw_sphere(1e9, 1).components.front());
  EXPECT_NEAR(cut(5) / uncut(5), 0.5, 1e-14);
  EXPECT_NEAR(cut(6) / uncut(6), std::erfc(1.0) / 2, 1e-14);
  EXPECT_NEAR(cut(1) / uncut(1), 1, 1e-7);
}

}  // namespace
}  // namespace gothic::ic
