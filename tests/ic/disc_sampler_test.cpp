#include "ic/disc_sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "disc_fixtures.hpp"
#include "ic/diagnostics.hpp"
#include "ic/galaxy.hpp"
#include "ic/sampler.hpp"
#include "statistics.hpp"

namespace gothic::ic {
namespace {

constexpr std::size_t stars = 100000;

/// Stars of a disc in cylindrical coordinates.
struct Star {
  double R, z, v_r, v_phi, v_z;
};

std::vector<Star> draw(const Galaxy& galaxy, std::size_t count = stars) {
  const std::size_t k = galaxy.model().components.size() - 1;
  const DiscSampler sampler(*galaxy.disc(k), *galaxy.kinematics(k));
  std::vector<Star> result;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto [x, v] = sampler({.seed = 5, .component = 2}, i);
    const double R = std::hypot(x[0], x[1]), c = x[0] / R, s = x[1] / R;
    result.push_back({R, x[2], v[0] * c + v[1] * s, v[1] * c - v[0] * s, v[2]});
  }
  return result;
}

const Galaxy& shared_andromeda() {
  static const Galaxy galaxy(andromeda(), 2);
  return galaxy;
}

TEST(DiscSampler, RadiiFollowTheSurfaceDensity) {
  const Galaxy& galaxy = shared_andromeda();
  std::vector<double> share;
  for (const Star& star : draw(galaxy)) {
    share.push_back(galaxy.disc(2)->surface().mass(star.R) / galaxy.disc(2)->component().mass);
  }
  EXPECT_LT(kolmogorov_distance(share), 1);
}

TEST(DiscSampler, HeightsFollowTheDensity) {
  const Galaxy& galaxy = shared_andromeda();
  const DiscSampler sampler(*galaxy.disc(2), *galaxy.kinematics(2));
  // The fraction below each height, by quadrature of the density.
  for (const double R : {1.0, 5.4, 20.0}) {
    const int intervals = 20000;
    const double step = galaxy.disc(2)->grid().top() / intervals;
    double within = 0;
    for (int i = 0; i < intervals; ++i) {
      const double whole = galaxy.disc(2)->surface()(R) / 2;
      within += step * galaxy.disc(2)->density(R, (i + 0.5) * step) / whole;
      if (i % 100 == 99 && within < 0.9999) {
        EXPECT_NEAR(sampler.height(R, within) / ((i + 1) * step), 1, 5e-3) << R << ' ' << within;
      }
    }
  }
  std::size_t above = 0;
  for (const Star& star : draw(galaxy)) above += star.z > 0;
  EXPECT_NEAR(static_cast<double>(above) / stars, 0.5, 4 * 0.5 / std::sqrt(stars));
}

TEST(DiscSampler, ThicknessOfAndromeda) {
  // Heights below which 25, 50, 75 and 90 % of the stars are at R = 5.4 kpc, from the particles of
  // another generator's model.
  const DiscSampler sampler(*shared_andromeda().disc(2), *shared_andromeda().kinematics(2));
  EXPECT_NEAR(sampler.height(5.4, 0.25), 0.138, 0.003);
  EXPECT_NEAR(sampler.height(5.4, 0.5), 0.292, 0.006);
  EXPECT_NEAR(sampler.height(5.4, 0.75), 0.516, 0.006);
  EXPECT_NEAR(sampler.height(5.4, 0.9), 0.758, 0.010);
}

TEST(DiscSampler, VelocitiesHaveTheMomentsOfTheModel) {
  const DiscKinematics& kinematics = *shared_andromeda().kinematics(2);
  double n = 0, radial = 0, mean = 0, around = 0, up = 0, crossed = 0;
  for (const Star& star : draw(shared_andromeda())) {
    const auto motion = kinematics.motion(star.R, std::abs(star.z));
    const double vertical = motion.sheet.mean_square_velocity(motion.rise);
    if (star.R < 2 || motion.sigma_phi == 0) continue;
    const double drift = (star.v_phi - motion.mean_rotation) / motion.sigma_phi;
    n += 1;
    radial += std::pow(star.v_r / motion.sigma_r, 2);
    mean += drift;
    around += drift * drift;
    up += star.v_z * star.v_z / vertical;
    crossed += star.v_r / motion.sigma_r * drift;
  }
  const double scatter = 4 / std::sqrt(n);
  EXPECT_NEAR(mean / n, 0, scatter);
  EXPECT_NEAR(crossed / n, 0, scatter);
  EXPECT_NEAR(radial / n, 1, std::sqrt(2.0) * scatter);
  EXPECT_NEAR(around / n, 1, std::sqrt(2.0) * scatter);
  EXPECT_NEAR(up / n, 1, std::sqrt(2.0) * scatter);
}

TEST(DiscSampler, StarsAreBound) {
  for (const Star& star : draw(shared_andromeda(), 20000)) {
    const double potential = shared_andromeda().discs()->potential(star.R, std::abs(star.z));
    const double square = star.v_r * star.v_r + star.v_phi * star.v_phi + star.v_z * star.v_z;
    ASSERT_LT(square / 2, -potential * (1 + 1e-4));
  }
}

TEST(DiscSampler, SomeRotateBackwards) {
  Model model = disc_in_halo();
  model.components.back().disc.retrograde = 0.25;
  std::size_t backwards = 0, far = 0;
  for (const Star& star : draw(Galaxy(model))) {
    if (star.R < 1) continue;  // where nearly all rotate with the disc
    ++far;
    backwards += star.v_phi < 0;
  }
  EXPECT_NEAR(static_cast<double>(backwards) / static_cast<double>(far), 0.25,
              4 * 0.43 / std::sqrt(far) + 0.01);
}

TEST(DiscSampler, DiscOfParticlesIsInVirialEquilibrium) {
  const io::Particles particles = draw_particles(shared_andromeda(), 1 << 20, 1, 2);
  // 2 K / -W of n stars that rotate scatters by about 0.6 / sqrt(n).
  EXPECT_NEAR(virial_ratio(shared_andromeda(), particles, 2), 1, 4 * 0.6 / std::sqrt(43611));
}

TEST(DiscSampler, ParticlesDoNotDependOnTheThreads) {
  const io::Particles one = draw_particles(shared_andromeda(), 400000, 3, 1);
  const io::Particles three = draw_particles(shared_andromeda(), 400000, 3, 3);
  EXPECT_EQ(one.position, three.position);
  EXPECT_EQ(one.velocity, three.velocity);
  EXPECT_EQ(draw_particles(Galaxy(andromeda(), 3), 400000, 3, 2).velocity, one.velocity);
}

}  // namespace
}  // namespace gothic::ic
