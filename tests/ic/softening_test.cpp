#include "ic/softening.hpp"

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "ic/initial_conditions.hpp"

namespace gothic::ic {
namespace {

double optimum(const Galaxy& galaxy, std::size_t particles) {
  return optimal_softening(galaxy, samples_of(galaxy.model(), particles));
}

TEST(Softening, OfAPlummerSphereIsThatOfMerritt) {
  const Galaxy galaxy(plummer_sphere());
  for (const std::size_t count : {2000, 20000, 200000}) {
    const double merritt = 0.985 * std::pow(count, -0.26);
    EXPECT_NEAR(optimum(galaxy, count), merritt, 0.08 * merritt) << count;
  }
}

TEST(Softening, OfACuspGoesAsTheMeanDistance) {
  const Galaxy galaxy(cut_hernquist_sphere());
  EXPECT_NEAR(optimum(galaxy, 10000000) / optimum(galaxy, 80000000), 2, 0.1);
}

TEST(Softening, StaysWithinTheGalaxyForFewParticles) {
  for (const Galaxy& galaxy : {Galaxy(cut_hernquist_sphere()), Galaxy(bulge_and_halo())}) {
    for (const std::size_t count : {2, 10, 100, 300}) {
      EXPECT_LE(optimum(galaxy, count), galaxy.shortest_scale()) << count;
      EXPECT_GT(optimum(galaxy, count), 0.1 * galaxy.shortest_scale()) << count;
    }
  }
}

/// Mean square error of the force of a sphere's particles on other particles of the same sphere, by
/// direct sums.
double error_of(const files::Particles& sources, const files::Particles& targets,
                double softening) {
  double sum = 0;
  for (const files::Vec3& x : targets.position) {
    std::array<double, 3> pull{};
    for (std::size_t j = 0; j < sources.size(); ++j) {
      double square = softening * softening;
      for (int k = 0; k < 3; ++k) square += std::pow(sources.position[j][k] - x[k], 2);
      const double factor = sources.mass[j] / (square * std::sqrt(square));
      for (int k = 0; k < 3; ++k) pull[k] += factor * (sources.position[j][k] - x[k]);
    }
    const double r = std::hypot(x[0], x[1], x[2]), smooth = 1 / ((1 + r) * (1 + r) * r);
    for (int k = 0; k < 3; ++k) sum += std::pow(pull[k] + smooth * x[k], 2);
  }
  return sum;
}

TEST(Softening, MakesTheErrorOfDirectSumsLeast) {
  const Galaxy galaxy(hernquist_sphere());
  constexpr std::size_t count = 4000;
  const double best = optimum(galaxy, count);
  double errors[3] = {};
  for (const std::uint32_t seed : {1, 3, 5}) {
    const auto sources = draw_particles(galaxy, count, seed, 1);
    const auto targets = draw_particles(galaxy, 1000, seed + 1, 1);
    for (int k = 0; k < 3; ++k) errors[k] += error_of(sources, targets, best * std::pow(3, k - 1));
  }
  EXPECT_LT(errors[1], 0.95 * errors[0]);
  EXPECT_LT(errors[1], 0.95 * errors[2]);
}

TEST(Softening, IsTheModelsOrThatOfAllComponentsOrTheRule) {
  Model model = bulge_and_halo();
  const auto softening = [&](std::size_t count) {
    return run_softening(Galaxy(model), samples_of(model, count));
  };
  EXPECT_EQ(softening(1000), optimum(Galaxy(model), 1000));
  EXPECT_GT(softening(1000), softening(20000));
  EXPECT_DOUBLE_EQ(softening(100000000), 0.08 / 64);
  model.components[0].softening = 0.2;
  EXPECT_EQ(softening(1000), optimum(Galaxy(model), 1000));
  model.components[1].softening = 0.1;
  EXPECT_EQ(softening(1000), 0.1);
  model.softening = 0.3;
  EXPECT_EQ(softening(1000), 0.3);
}

TEST(Softening, OfABlackHoleIsItsOwn) {
  const Model model = bulge_with_black_hole();
  EXPECT_GT(run_softening(Galaxy(model), samples_of(model, 1000)), 1e-3);
  const files::Snapshot snapshot = draw_snapshot(Galaxy(model), {.particles = 1000}, 0.05);
  EXPECT_EQ(snapshot.softening, 0.05);
  EXPECT_EQ(snapshot.components[0].softening, 0.05);
  EXPECT_EQ(snapshot.components[1].softening, 1e-5);
}

}  // namespace
}  // namespace gothic::ic
