#include "core/observers/conserved.hpp"

#include "tests/core/dynamics/fixtures.hpp"

namespace gothic::test {
namespace {

template <class Case>
class ConservedOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(ConservedOn, Devices);

/// Sums in the order of the particles, written out.
Conserved naive(const HostBodies& bodies) {
  Conserved sum;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double m = bodies.position[i].w;
    const double r[] = {bodies.position[i].x, bodies.position[i].y, bodies.position[i].z};
    const double v[] = {bodies.velocity[i].x, bodies.velocity[i].y, bodies.velocity[i].z};
    const Vec4 force = bodies.acceleration[i];
    const double a[] = {force.x, force.y, force.z};
    sum.mass += m;
    sum.potential += m * force.w / 2;
    for (int axis = 0; axis < 3; ++axis) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      sum.kinetic += m * v[axis] * v[axis] / 2;
      sum.momentum[axis] += m * v[axis];
      sum.angular_momentum[axis] += m * (r[next] * v[last] - r[last] * v[next]);
      sum.center[axis] += m * r[axis];
      sum.force[axis] += m * a[axis];
    }
  }
  for (double& axis : sum.center) axis /= sum.mass;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec4 r = bodies.position[i], a = bodies.acceleration[i];
    sum.virial += double(r.w) * ((r.x - sum.center[0]) * a.x + (r.y - sum.center[1]) * a.y +
                                 (r.z - sum.center[2]) * a.z);
  }
  return sum;
}

TYPED_TEST(ConservedOn, SumsAreThoseOfPlainLoops) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : {1, 2, 100, 4097, 30000}) {
    const HostBodies host = random_bodies(n);
    const Conserved wanted = naive(host);
    const auto bodies = upload<Device>(host);
    const Conserved found = conserved(view_of(this->device, *bodies));
    const double tiny = 1e-12 * wanted.mass;
    EXPECT_NEAR(found.mass, wanted.mass, tiny);
    EXPECT_NEAR(found.kinetic, wanted.kinetic, 10 * tiny);
    EXPECT_NEAR(found.potential, wanted.potential, 10 * tiny);
    EXPECT_NEAR(found.virial, wanted.virial, 10 * tiny);
    EXPECT_NEAR(found.total(), wanted.kinetic + wanted.potential, 10 * tiny);
    const double inner = wanted.kinetic - 0.5 / wanted.mass *
                                              (wanted.momentum[0] * wanted.momentum[0] +
                                               wanted.momentum[1] * wanted.momentum[1] +
                                               wanted.momentum[2] * wanted.momentum[2]);
    const double ratio = n > 1 ? -2 * inner / wanted.virial : 0;
    EXPECT_NEAR(found.virial_ratio(), ratio, 1e-9 * std::abs(ratio));
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(found.momentum[axis], wanted.momentum[axis], 10 * tiny);
      EXPECT_NEAR(found.angular_momentum[axis], wanted.angular_momentum[axis], 10 * tiny);
      EXPECT_NEAR(found.center[axis], wanted.center[axis], 1e-12);
    }
  }
}

TYPED_TEST(ConservedOn, SumsDoNotDependOnTheNumberOfThreads) {
  using Device = typename TypeParam::Device;
  const auto bodies = upload<Device>(random_bodies(50000));
  Device other = TypeParam::make(1);
  const Conserved a = conserved(view_of(this->device, *bodies)),
                  b = conserved(view_of(other, *bodies));
  EXPECT_TRUE(a == b);
}

/// A circular orbit of two bodies is in equilibrium, also with softening.
TYPED_TEST(ConservedOn, VirialRatioOfACircularOrbitIsOne) {
  using Device = typename TypeParam::Device;
  const double distance = 1, softening = 0.3,
               pull = 0.5 * distance / std::pow(distance * distance + softening * softening, 1.5);
  const auto speed = float(std::sqrt(pull * distance / 2)), a = float(pull);
  HostBodies host = random_bodies(2);
  host.position = {{0.5F, 0, 0, 0.5F}, {-0.5F, 0, 0, 0.5F}};
  host.velocity = {{0, speed, 0, 0}, {0, -speed, 0, 0}};
  host.acceleration = {{-a, 0, 0, -0.4F}, {a, 0, 0, -0.4F}};
  const auto bodies = upload<Device>(host);
  EXPECT_NEAR(conserved(view_of(this->device, *bodies)).virial_ratio(), 1, 1e-6);
}

/// Forces of a tree do not add up to zero, and a system may be anywhere, at any velocity.
TYPED_TEST(ConservedOn, VirialRatioDoesNotDependOnPlaceVelocityAndCommonPull) {
  using Device = typename TypeParam::Device;
  HostBodies host = random_bodies(4096);
  const auto at_rest = upload<Device>(host);
  const double ratio = conserved(view_of(this->device, *at_rest)).virial_ratio();
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.position[i].x += 64;
    host.velocity[i].y -= 16;
    host.acceleration[i].x += 4;
  }
  const auto moved = upload<Device>(host);
  EXPECT_NEAR(conserved(view_of(this->device, *moved)).virial_ratio(), ratio,
              1e-4 * std::abs(ratio));
}

}  // namespace
}  // namespace gothic::test
