#include "run/lagrangian_radii.hpp"

#include <random>

#include "tests/core/engine/simulations.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

namespace gothic::test {
namespace {

using Point = std::array<double, 3>;

/// Radius that holds a fraction of the mass of a Plummer sphere, G = M = a = 1.
double plummer_radius(double fraction) { return 1 / std::sqrt(std::pow(fraction, -2.0 / 3) - 1); }

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

void move(Particles& particles, const Point& by) {
  for (Vec3& r : particles.position) {
    for (int axis = 0; axis < 3; ++axis) r[axis] += float(by[axis]);
  }
}

/// Adds particles of another component.
void add(Particles& particles, const Particles& others, std::int32_t component, float mass_factor) {
  for (std::size_t i = 0; i < others.size(); ++i) {
    particles.position.push_back(others.position[i]);
    particles.velocity.push_back(others.velocity[i]);
    particles.mass.push_back(mass_factor * others.mass[i]);
    particles.id.push_back(particles.id.size() + 1);
    particles.type.push_back(others.type[i]);
    particles.component.push_back(component);
  }
}

void expect_plummer(const LagrangianRadii& radii, double tolerance) {
  for (std::size_t k = 0; k < lagrange_fractions.size(); ++k) {
    const double exact = plummer_radius(lagrange_fractions[k]);
    EXPECT_NEAR(radii.radius[k] / exact, 1, tolerance) << lagrange_fractions[k];
  }
}

TEST(LagrangianRadii, OfAPlummerSphereAreThoseOfItsMassProfile) {
  const Particles particles = plummer(65536).particles;
  const std::vector<LagrangianRadii> found = lagrangian_radii(particles, {0, 0, 0});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found.front().mass, 1, 1e-5);
  expect_plummer(found.front(), 0.04);
}

TEST(DensestPoint, IsTheCentreOfASphere) {
  Particles particles = plummer(65536).particles;
  EXPECT_LT(distance(densest_point(particles), {0, 0, 0}), 0.06);
  move(particles, {100, -20, 3});
  EXPECT_LT(distance(densest_point(particles), {100, -20, 3}), 0.06);
}

/// A satellite with a tenth of the mass moves the centre of mass, not the centre.
TEST(DensestPoint, IsNotMovedByASatellite) {
  Particles particles = plummer(32768).particles, satellite = plummer(32768).particles;
  const Point away = {30, 0, -40};
  move(satellite, away);
  add(particles, satellite, 1, 0.1F);
  const Point center = densest_point(particles);
  EXPECT_LT(distance(center, {0, 0, 0}), 0.1);
  const std::vector<LagrangianRadii> found = lagrangian_radii(particles, center);
  ASSERT_EQ(found.size(), 2U);
  expect_plummer(found[0], 0.1);
  EXPECT_EQ(found[1].component, 1);
  EXPECT_NEAR(found[1].mass, 0.1, 1e-5);
  EXPECT_NEAR(found[1].radius[4], 50, 1);  // the satellite as a whole is that far away
}

TEST(DensestPoint, PassesOverParticlesWithoutMass) {
  Particles particles = plummer(16384).particles, tracers = plummer(32768).particles;
  move(tracers, {5, 0, 0});
  add(particles, tracers, 1, 0);
  const Point center = densest_point(particles);
  EXPECT_LT(distance(center, {0, 0, 0}), 0.1);
  const std::vector<LagrangianRadii> found = lagrangian_radii(particles, center);
  EXPECT_EQ(found[1].mass, 0);
  EXPECT_NEAR(found[1].radius[4], 5, 0.3);  // all particles count alike
}

TEST(DensestPoint, CountsParticlesWhereNoneHasMass) {
  Particles particles = plummer(16384).particles;
  move(particles, {0, 2, 0});
  std::ranges::fill(particles.mass, 0.0F);
  const Point center = densest_point(particles);
  EXPECT_LT(distance(center, {0, 2, 0}), 0.1);
  expect_plummer(lagrangian_radii(particles, center).front(), 0.08);
}

TEST(LagrangianRadii, OfParticlesInOnePointAreZero) {
  for (const std::size_t count : {1, 1000}) {
    Particles particles = particles_at_rest(count).particles;
    move(particles, {1, 2, 3});
    const Point center = densest_point(particles);
    EXPECT_EQ(center, (Point{1, 2, 3}));
    const std::vector<LagrangianRadii> found = lagrangian_radii(particles, center);
    ASSERT_EQ(found.size(), 1U);
    for (const double radius : found.front().radius) EXPECT_EQ(radius, 0);
  }
}

TEST(LagrangianRadii, AreOfComponentsInAscendingOrder) {
  Particles particles = particles_at_rest(3).particles;
  particles.component = {7, -1, 3};
  particles.position = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  const std::vector<LagrangianRadii> found = lagrangian_radii(particles, {0, 0, 0});
  ASSERT_EQ(found.size(), 3U);
  const std::array<std::int32_t, 3> components = {-1, 3, 7};
  const std::array<double, 3> radii = {2, 3, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(found[k].component, components[k]);
    EXPECT_EQ(found[k].radius.front(), radii[k]);
    EXPECT_EQ(found[k].radius.back(), radii[k]);
  }
}

/// n shells, some without mass and many at the same radius.
std::vector<Shell> random_shells(std::size_t n) {
  std::mt19937 random(n);
  std::uniform_real_distribution<float> number(0, 1);
  std::vector<Shell> shells(n);
  for (Shell& shell : shells) {
    const float r = number(random) < 0.2F ? 0.5F : std::exp2(40 * number(random) - 20);
    shell = {r, number(random) < 0.3F ? 0 : number(random)};
  }
  return shells;
}

TEST(EnclosingRadii, AreThoseOfShellsInOrder) {
  const std::vector<double> fractions = {1e-9, 0.01, 0.1, 0.11, 0.5, 0.5, 0.99, 1};
  for (const std::size_t n : {1, 2, 3, 10, 1000, 20000}) {
    for (const bool has_mass : {true, false}) {
      std::vector<Shell> shells = random_shells(n);
      shells.back().mass = 1;
      if (!has_mass) {
        for (Shell& shell : shells) shell.mass = 0;
      }
      const std::vector<double> found = enclosing_radii(shells, fractions);
      std::ranges::sort(shells, {}, &Shell::radius2);
      const auto mass_of = [&](const Shell& shell) { return has_mass ? double{shell.mass} : 1.0; };
      double whole = 0;
      for (const Shell& shell : shells) whole += mass_of(shell);
      for (std::size_t k = 0; k < fractions.size(); ++k) {
        double within = 0;
        std::size_t last = 0;
        for (; last < n; ++last) {
          within += mass_of(shells[last]);
          if (within >= fractions[k] * whole * (1 - 1e-12)) break;
        }
        EXPECT_EQ(found[k], std::sqrt(double{shells[std::min(last, n - 1)].radius2}))
            << fractions[k] << " of " << n;
      }
    }
  }
}

/// Particles [first, last).
Particles part_of(const Particles& all, std::size_t first, std::size_t last) {
  Particles part;
  part.resize(last - first);
  for (std::size_t i = first; i < last; ++i) {
    part.position[i - first] = all.position[i];
    part.mass[i - first] = all.mass[i];
    part.component[i - first] = all.component[i];
  }
  return part;
}

/// Expects that ranks find together what one rank finds. Their parts differ in length; if there are
/// more than two, the second one is empty.
void expect_same_over_ranks(const Particles& all) {
  const Point center = densest_point(all);
  const std::vector<LagrangianRadii> radii = lagrangian_radii(all, center);
  for (const int size : {1, 2, 3, 5}) {
    on_ranks(size, [&](Communicator& ranks) {
      const auto border = [&](int rank) {
        const int at = rank == 2 && size > 2 ? 1 : rank;
        return all.size() * std::size_t(at * at) / std::size_t(size * size);
      };
      const Particles own = part_of(all, border(ranks.rank()), border(ranks.rank() + 1));
      EXPECT_LT(distance(densest_point(own, ranks), center), 1e-13);
      const std::vector<LagrangianRadii> found = lagrangian_radii(own, center, ranks);
      ASSERT_EQ(found.size(), radii.size());
      for (std::size_t k = 0; k < radii.size(); ++k) {
        EXPECT_EQ(found[k].component, radii[k].component);
        EXPECT_NEAR(found[k].mass, radii[k].mass, 1e-13);
        EXPECT_EQ(found[k].radius, radii[k].radius) << "component " << k << ", " << size;
      }
    });
  }
}

TEST(LagrangianRadii, OverRanksAreThoseOfOne) {
  Particles particles = plummer(150001).particles, satellite = plummer(20000).particles;
  expect_same_over_ranks(particles);
  move(satellite, {30, 0, -40});
  add(particles, satellite, 7, 0.1F);  // the first ranks have none of these
  expect_same_over_ranks(particles);
  std::ranges::fill(particles.mass, 0.0F);
  expect_same_over_ranks(particles);
  particles.mass.back() = 1;  // on the last rank alone
  expect_same_over_ranks(particles);
}

TEST(LagrangianRadii, OverRanksMayBeOfFewerParticles) {
  Particles particles = particles_at_rest(2).particles;
  particles.component = {3, -1};
  particles.position = {{1, 0, 0}, {0, 2, 0}};
  expect_same_over_ranks(particles);
}

}  // namespace
}  // namespace gothic::test
