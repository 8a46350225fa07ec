#include "run/lagrangian_radii.hpp"

#include "tests/core/engine/simulations.hpp"

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
  EXPECT_NEAR(found[1].radius[4], 5, 0.3);  // each counts alike
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

}  // namespace
}  // namespace gothic::test
