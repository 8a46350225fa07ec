#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <numeric>

#include "core/setting_error.hpp"
#include "fixtures.hpp"
#include "ic/diagnostics.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/random.hpp"

namespace gothic::ic {
namespace {

double norm(const files::Vec3& x) { return std::hypot(x[0], x[1], x[2]); }

class Sampling : public ::testing::TestWithParam<Model> {
 protected:
  /// Particles of one component.
  files::Particles of_component(const files::Particles& all, std::size_t k) const {
    files::Particles own;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.component[i] != static_cast<int>(k)) continue;
      own.position.push_back(all.position[i]);
      own.velocity.push_back(all.velocity[i]);
    }
    return own;
  }

  /// Fraction of the mass of component k within the radius of each of its particles.
  std::vector<double> fractions_within(const files::Particles& own, std::size_t k) const {
    std::vector<double> fractions;
    for (const files::Vec3& x : own.position) {
      fractions.push_back(galaxy_.system().mass(k, std::log(norm(x))) /
                          galaxy_.model().components[k].mass);
    }
    return fractions;
  }

  void expect_rest_at_the_origin(const files::Particles& own) const {
    double position[3] = {}, velocity[3] = {}, extent = 0, speed = 0;
    for (std::size_t i = 0; i < own.position.size(); ++i) {
      for (int d = 0; d < 3; ++d) {
        position[d] += own.position[i][d];
        velocity[d] += own.velocity[i][d];
      }
      extent += norm(own.position[i]);
      speed += norm(own.velocity[i]);
      const double potential = galaxy_.system().potential(std::log(norm(own.position[i])));
      EXPECT_LT(std::pow(norm(own.velocity[i]), 2) / 2, 1.1 * potential);
    }
    for (int d = 0; d < 3; ++d) {
      EXPECT_LT(std::abs(position[d]), 1e-8 * extent);
      EXPECT_LT(std::abs(velocity[d]), 1e-8 * speed);
    }
  }

  const Galaxy galaxy_{GetParam(), 2};
};

TEST_P(Sampling, FollowsTheMassInVirialEquilibriumAtRest) {
  const files::Particles particles = draw_particles(galaxy_, 100000, 1, 2);
  for (std::size_t k = 0; k < galaxy_.model().components.size(); ++k) {
    const files::Particles own = of_component(particles, k);
    EXPECT_LT(kolmogorov_distance(fractions_within(own, k)), 1) << k;
    EXPECT_NEAR(virial_ratio(galaxy_, particles, k), 1,
                5 * 0.804 / std::sqrt(static_cast<double>(own.position.size())));
    expect_rest_at_the_origin(own);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Sampling,
                         ::testing::Values(plummer_sphere(), nfw_sphere(), king_sphere(7),
                                           sersic_sphere(4), bulge_and_halo()));

class QuietStart : public Sampling {};

TEST_P(QuietStart, ConsistsOfPairsThatFillRadiiEvenlyWithLessNoise) {
  const files::Particles particles = draw_particles(galaxy_, 105000, 1, 2, true);
  for (std::size_t i = 0; i < particles.size(); i += 2) {
    ASSERT_EQ(particles.component[i], particles.component[i + 1]);
    for (int d = 0; d < 3; ++d) {
      ASSERT_EQ(particles.position[i][d], -particles.position[i + 1][d]);
      ASSERT_EQ(particles.velocity[i][d], -particles.velocity[i + 1][d]);
    }
  }
  std::vector<double> fractions = fractions_within(of_component(particles, 0), 0);
  std::sort(fractions.begin(), fractions.end());
  const double n = static_cast<double>(fractions.size());
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    // The deviation of n / 2 pairs is log2(n) at most, far below the sqrt(n) / 2 of random pairs.
    ASSERT_LT(std::abs(fractions[i] * n - static_cast<double>(i)), 2 * 9) << i;
  }
  EXPECT_NEAR(virial_ratio(galaxy_, particles, 0), 1, 0.2 * 0.804 / std::sqrt(n));
}

INSTANTIATE_TEST_SUITE_P(Models, QuietStart, ::testing::Values(plummer_sphere(), bulge_and_halo()));

TEST(Sampler, DependsOnTheSeedAndNotOnTheThreads) {
  const Galaxy galaxy(bulge_and_halo(), 2);
  for (const bool quiet : {false, true}) {
    const files::Particles one = draw_particles(galaxy, 40001, 7, 1, quiet);
    const files::Particles three = draw_particles(galaxy, 40001, 7, 3, quiet);
    EXPECT_EQ(one.mass, three.mass);
    EXPECT_EQ(one.position, three.position);
    EXPECT_EQ(one.velocity, three.velocity);
    const files::Particles other = draw_particles(galaxy, 40001, 8, 2, quiet);
    EXPECT_NE(one.position.front(), other.position.front());
    EXPECT_NE(one.velocity.back(), other.velocity.back());
  }
}

/// Draws in small blocks and expects the particles that are drawn at once, ordered as in a file.
void expect_same_in_blocks(const Galaxy& galaxy, const Draw& draw) {
  constexpr std::size_t per_block = 2 * particles_per_piece;
  const files::Particles all = draw_particles(galaxy, draw.particles, draw.seed, 1, draw.quiet);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all.type[i]; });
  const files::Particles wanted = files::picked(all, order);
  std::size_t first = 0, blocks = 0;
  const auto take = [&](const files::Particles& block) {
    ASSERT_LE(block.size(), per_block);
    ASSERT_LE(first + block.size(), wanted.size());
    for (std::size_t i = 0; i < block.size(); ++i, ++first) {
      ASSERT_EQ(block.id[i], wanted.id[first]);
      ASSERT_EQ(block.mass[i], wanted.mass[first]);
      ASSERT_EQ(block.position[i], wanted.position[first]);
      ASSERT_EQ(block.velocity[i], wanted.velocity[first]);
      ASSERT_EQ(block.type[i], wanted.type[first]);
      ASSERT_EQ(block.component[i], wanted.component[first]);
    }
    ++blocks;
  };
  draw_blocks(galaxy, draw, take, nullptr, per_block);
  EXPECT_EQ(first, wanted.size());
  EXPECT_GT(blocks, galaxy.model().components.size() + 1);
  EXPECT_EQ(type_counts(galaxy.model(), draw), files::counts_of(wanted.type));
}

TEST(Sampler, BlocksHoldTheParticlesInTheOrderOfFiles) {
  Model model = bulge_and_halo();
  std::ranges::swap(model.components[0], model.components[1]);
  model.components.push_back(component("black_hole", "softening = 1e-5"));
  model.components.back().mass = 1e-3;
  const Galaxy galaxy(model, 2);
  for (const bool quiet : {false, true}) {
    expect_same_in_blocks(galaxy, {.particles = 110001, .seed = 7, .quiet = quiet, .threads = 2});
  }
}

TEST(Sampler, BlocksOfADiscHoldItsParticles) {
  Model model = disc_in_halo();
  model.components[1].share = 0.6;
  expect_same_in_blocks(Galaxy(model, 2), {.particles = 90000, .seed = 2, .threads = 2});
}

TEST(Sampler, SumsOverBlocksTellTheRadiiOfShares) {
  const Galaxy galaxy(disc_in_halo(), 2);
  const Draw draw{.particles = 120000, .threads = 2};
  ParticleSums sums(galaxy);
  std::vector<std::vector<double>> radii(2);
  const auto take = [&](const files::Particles& block) {
    sums.add(block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const files::Vec3& x = block.position[i];
      const std::size_t k = block.component[i];
      radii[k].push_back(galaxy.disc(k) ? std::hypot(x[0], x[1]) : norm(x));
    }
  };
  draw_blocks(galaxy, draw, take, nullptr, particles_per_piece);
  for (std::size_t k = 0; k < 2; ++k) {
    std::ranges::sort(radii[k]);
    ASSERT_EQ(sums.particles(k), radii[k].size());
    for (const double fraction : {0.1, 0.5, 0.9}) {
      const double n = static_cast<double>(radii[k].size());
      const double wanted = radii[k][static_cast<std::size_t>(fraction * n)];
      EXPECT_NEAR(sums.radius(k, fraction) / wanted, 1, 1e-3) << k << ' ' << fraction;
    }
    EXPECT_NEAR(sums.virial_ratio(k), 1, 5 * 0.804 / std::sqrt(radii[k].size()));
  }
}

TEST(Sampler, NumbersTheParticles) {
  const Model model = bulge_and_halo();
  const files::Particles particles = draw_particles(Galaxy(model), 1000, 1, 2);
  double mass = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(particles.id[i], i + 1);
    EXPECT_EQ(particles.type[i], model.components[particles.component[i]].type);
    mass += particles.mass[i];
  }
  EXPECT_NEAR(mass / (model.components[0].mass + model.components[1].mass), 1, 1e-6);
}

TEST(Sampler, IsIsotropic) {
  const files::Particles particles = draw_particles(Galaxy(nfw_sphere()), 50000, 1, 2);
  std::vector<double> z, phi, cosine;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const files::Vec3 x = particles.position[i], v = particles.velocity[i];
    z.push_back((x[2] / norm(x) + 1) / 2);
    phi.push_back(std::atan2(x[1], x[0]) / (2 * std::numbers::pi) + 0.5);
    const double product = double{x[0]} * v[0] + double{x[1]} * v[1] + double{x[2]} * v[2];
    cosine.push_back((product / (norm(x) * norm(v)) + 1) / 2);
  }
  EXPECT_LT(kolmogorov_distance(z), 1);
  EXPECT_LT(kolmogorov_distance(phi), 1);
  EXPECT_LT(kolmogorov_distance(cosine), 1);
}

TEST(Sampler, AnisotropyIsThatOfOsipkovAndMerritt) {
  Model model = plummer_sphere();
  model.components[0].anisotropy_radius = 1.2;
  const Galaxy galaxy(model);
  const files::Particles particles = draw_particles(galaxy, 100000, 1, 2);
  double radial = 0, tangential = 0, stretched = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const files::Vec3 &x = particles.position[i], &v = particles.velocity[i];
    const double r = norm(x);
    const double along = (double{x[0]} * v[0] + double{x[1]} * v[1] + double{x[2]} * v[2]) / r;
    const double across = (std::pow(norm(v), 2) - along * along) / 2;
    radial += along * along;
    tangential += across;
    stretched += across * (1 + std::pow(r / 1.2, 2));
  }
  EXPECT_LT(tangential, 0.8 * radial);
  EXPECT_NEAR(stretched / radial, 1, 0.03);
  EXPECT_NEAR(virial_ratio(galaxy, particles, 0), 1, 5 * 0.804 / std::sqrt(1e5));
}

TEST(Sampler, BlackHolesAreOneParticleAtRest) {
  const Model model = bulge_with_black_hole();
  const files::Particles particles = draw_particles(Galaxy(model), 5000, 1, 2);
  ASSERT_EQ(particles.size(), 5000U);
  EXPECT_EQ(particles.component[4998], 0);
  EXPECT_EQ(particles.component[4999], 1);
  EXPECT_EQ(particles.mass[4999], 2e-3F);
  EXPECT_EQ(particles.position[4999], (files::Vec3{0, 0, 0}));
  EXPECT_EQ(particles.velocity[4999], (files::Vec3{0, 0, 0}));
}

TEST(Sampler, SpeedsFollowTheDistributionFunction) {
  const Galaxy galaxy(nfw_sphere());
  const files::Particles particles = draw_particles(galaxy, 4000, 1, 2);
  // The fraction of slower particles, by bisection of the quantiles.
  std::vector<double> fractions;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const SpeedDistribution speeds(*galaxy.distribution(0), std::log(norm(particles.position[i])));
    double low = 0, high = 1;
    for (int k = 0; k < 20; ++k) {
      const double middle = (low + high) / 2;
      (speeds.quantile(middle) < norm(particles.velocity[i]) ? low : high) = middle;
    }
    fractions.push_back(low);
  }
  EXPECT_LT(kolmogorov_distance(fractions), 1);
}

TEST(Sampler, CentresOfExtendedComponentsStayTogether) {
  // The mean of 40000 particles of a halo is off by extent / sqrt(40000), a tenth of the bulge's
  // scale. The halo's cusp must not be off by as much.
  const Galaxy galaxy(bulge_and_halo(), 2);
  double offset = 0;
  std::size_t near = 0;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const files::Particles particles = draw_particles(galaxy, 40000, seed, 2);
    files::Vec3 sum{};
    double count = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const files::Vec3& x = particles.position[i];
      if (particles.component[i] != 0 || norm(x) > 0.5) continue;
      for (int d = 0; d < 3; ++d) sum[d] += x[d];
      count += 1;
    }
    near += static_cast<std::size_t>(count);
    for (int d = 0; d < 3; ++d) offset += std::pow(sum[d] / count, 2) * count;
  }
  // The mean square of a coordinate within 0.5 of the cusp is 0.5^2 / 6, since the density goes as
  // 1 / r.
  EXPECT_GT(near, 2500U);
  EXPECT_LT(offset / 15, 2 * 0.25 / 6);
}

TEST(Sampler, SharesParticlesByMassUnlessAskedOtherwise) {
  using Counts = std::vector<std::size_t>;
  Model model = bulge_and_halo();
  EXPECT_EQ(particle_counts(model, 2100), (Counts{2000, 100}));
  EXPECT_EQ(particle_counts(model, 2), (Counts{1, 1}));
  EXPECT_EQ(particle_counts(example("m31"), 1 << 23), (Counts{7730866, 308853, 348889}));
  model.components[1].share = 0.25;
  EXPECT_EQ(particle_counts(model, 1000), (Counts{750, 250}));
  model.components.push_back(component("black_hole", "softening = 1"));
  EXPECT_EQ(particle_counts(model, 1001), (Counts{750, 250, 1}));
  model.components.push_back(model.components[0]);
  EXPECT_EQ(particle_counts(model, 1001), (Counts{375, 250, 1, 375}));
  EXPECT_EQ(particle_counts(model, 4), (Counts{1, 1, 1, 1}));
  EXPECT_THROW(particle_counts(model, 3), SettingError);
}

}  // namespace
}  // namespace gothic::ic
