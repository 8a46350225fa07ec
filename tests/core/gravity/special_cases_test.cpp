#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/core/gravity/forces.hpp"

/// Forces on particles that no galaxy has, but an input file may.
namespace gothic {
namespace {

using namespace test;

template <class Case>
class UnusualParticles : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  static std::vector<ForceOptions> criteria() {
    std::vector<ForceOptions> result{force_options(Mac::acceleration, 0x1p-10F),
                                     force_options(Mac::multipole, 0x1p-10F),
                                     force_options(Mac::opening, 0.1F), open_everything()};
    for (ForceOptions& options : result) options.root = RootChoice::newton;
    for (std::size_t i = 0, n = result.size(); i < n; ++i) {
      for (const Order order : {Order::point, Order::octupole}) {
        result.push_back(result[i]);
        result.back().acceptance.order = order;
      }
    }
    return result;
  }

  std::vector<Vec4> forces(const ForceOptions& options, const MassPoints& particles,
                           const std::vector<Force>& old) {
    SolverAndParticles<Device> tree(this->device, options, particles);
    return tree.with_old(old).evaluate();
  }

  /// Compares forces and potentials with sums over all pairs. `unit` is the acceleration below
  /// which differences do not count.
  void expect_summed(const MassPoints& particles, double tolerance, double unit) {
    const auto expected = summed(particles);
    for (const ForceOptions& options : criteria()) {
      const auto found = forces(options, particles, expected);
      for (std::size_t i = 0; i < particles.size(); ++i) {
        const Force& e = expected[i];
        const Vec4 a = found[i];
        const double own = particles[i].w / double(softening);
        ASSERT_LE(std::hypot(a.x - e.x, a.y - e.y, a.z - e.z), tolerance * (length(e) + unit)) << i;
        ASSERT_NEAR(a.w, e.potential, tolerance * std::abs(e.potential) + 1e-6 * own) << i;
      }
    }
  }
};
TYPED_TEST_SUITE(UnusualParticles, Devices);

TYPED_TEST(UnusualParticles, AreSummedRight) {
  struct Case {
    std::string name;
    MassPoints particles;
    double tolerance, unit;
  };
  MassPoints half_without_mass = plummer_sphere(1777, 40);
  for (std::size_t i = 0; i < 777; ++i) half_without_mass[i].w = 0;
  const std::vector<Case> cases{{"two in one point", coincident(2), 1e-5, 1e-5},
                                {"33 in one point", coincident(33), 1e-5, 1e-5},
                                {"2000 in one point", coincident(2000), 1e-5, 1e-5},
                                {"two points", two_points(1000), 1e-4, 0},
                                {"half in a point", half_in_a_point(2000), 1e-2, 0.1},
                                {"on a line", collinear(1000), 3e-2, 1},
                                {"alone", {{1, 2, 3, 5}}, 1e-6, 0},
                                {"alone at the origin", {{0, 0, 0, 5}}, 1e-6, 0},
                                {"a pair", {{1, 2, 3, 5}, {1.5F, 2, 2, 0.25F}}, 2e-6, 0},
                                {"a close pair", {{0, 0, 0, 1}, {0, 0, 1e-4F, 1}}, 1e-5, 0},
                                {"without mass", half_without_mass, 2e-2, 0.01}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    this->expect_summed(one.particles, one.tolerance, one.unit);
  }
  for (std::size_t n = 3; n < 40; ++n) this->expect_summed(cuspy_sphere(n), 1e-2, 0.01);
}

TYPED_TEST(UnusualParticles, InTwoFarGalaxiesFeelTheirOwn) {
  // The cell that holds both galaxies has its particles at its ends and its centre far from all of
  // them. By the acceleration criterion alone it would act as a whole.
  constexpr std::size_t n = 1000;
  MassPoints particles = plummer_sphere(n);
  const MassPoints other = moved(plummer_sphere(n, 5), 160, 0, 0);
  particles.insert(particles.end(), other.begin(), other.end());
  const auto expected = summed(particles);
  for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
    for (const float accuracy : {0x1p-2F, 0x1p-7F}) {
      ForceOptions options = force_options(Mac::acceleration, accuracy);
      options.acceptance.order = order;
      const auto found = this->forces(options, particles, expected);
      EXPECT_LT(percentile(errors_of(found, expected), 0.9), accuracy) << accuracy;
      EXPECT_LT(percentile(errors_of(found, expected), 1), 0.5) << accuracy;
    }
  }
}

TYPED_TEST(UnusualParticles, InVeryGreatNumberInOnePointKeepTheirPotential) {
  constexpr std::size_t n = 300000;
  ForceOptions options = force_options(Mac::opening, 0.5F);
  options.root = RootChoice::newton;
  const auto found = this->forces(options, coincident(n), {});
  for (std::size_t i = 0; i < n; i += 1000) {
    ASSERT_EQ(found[i].x, 0);
    ASSERT_NEAR(found[i].w * softening, -1, 1e-5);
  }
}

TYPED_TEST(UnusualParticles, AloneHaveNoPotentialByTheEstimatedRootEither) {
  ForceOptions options = force_options(Mac::opening, 0.5F);
  options.root = RootChoice::estimate;
  const auto found = this->forces(options, {{1, 2, 3, 5}}, {});
  EXPECT_NEAR(found[0].w, 0, 1e-6 * 5 / softening);
}

/// A Plummer sphere and, last, one light particle far away.
MassPoints with_outlier(float far) {
  MassPoints particles = plummer_sphere(1000, 42);
  particles.push_back({far, -far, 0, 0.001F});
  return particles;
}

TYPED_TEST(UnusualParticles, FarAwayAreFeltAndFeel) {
  // Floats do not resolve the sphere from a distance of 10^12. Some particles are in one group with
  // the outlier, and all are in one bundle with it: the ball is so wide that the rounding of its
  // radius exceeds the sphere's size.
  for (const float far : {1e3F, 1e6F, 1e12F}) {
    const MassPoints particles = with_outlier(far);
    const auto expected = summed(particles);
    for (const ForceOptions& options : this->criteria()) {
      if (far > 1e6F && options.acceptance.mac == Mac::acceleration) continue;
      const auto errors = errors_of(this->forces(options, particles, expected), expected);
      EXPECT_LT(percentile(errors, 1), 2e-2)
          << far << ", criterion " << int(options.acceptance.mac);
    }
  }
}

TYPED_TEST(UnusualParticles, FarFromTheOriginPullAsTheyWouldThere) {
  // No coordinate is rounded: particles lie on a lattice and are moved by a power of two.
  MassPoints particles = plummer_sphere(2000, 43);
  for (Vec4& p : particles) {
    for (float* x : {&p.x, &p.y, &p.z}) *x = std::round(*x * 512) / 512;
  }
  const auto expected = summed(particles);
  const MassPoints far = moved(particles, 8192, -8192, 8192);
  const auto errors =
      errors_of(this->forces(force_options(Mac::acceleration, 0x1p-8F), far, expected), expected);
  EXPECT_LT(percentile(errors, 0.99), 2 * 0x1p-8);
}

TYPED_TEST(UnusualParticles, TogetherKeepTheirMomentum) {
  const MassPoints particles = plummer_sphere(4000, 44);
  const auto found = this->forces(open_everything(), particles, {});
  double x = 0, y = 0, z = 0, lengths = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    x += double(particles[i].w) * found[i].x;
    y += double(particles[i].w) * found[i].y;
    z += double(particles[i].w) * found[i].z;
    lengths += particles[i].w * std::hypot(found[i].x, found[i].y, found[i].z);
  }
  EXPECT_LT(std::hypot(x, y, z), 1e-7 * lengths);
}

}  // namespace
}  // namespace gothic
