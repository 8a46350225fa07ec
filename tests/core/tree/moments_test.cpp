#include "core/tree/moments.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/core/tree/trees.hpp"

namespace gothic {
namespace {

using namespace test;

/// Moments of all cells on the host.
struct FoundMoments {
  std::vector<Vec4> center;
  std::vector<float> size;
  std::vector<Moments<Order::quadrupole>> second_moments;
  std::vector<Moments<Order::octupole>> third_moments;
};

/// Sums over the particles of one cell in double precision, and the largest distance from the
/// centre that the tree found.
struct ExactMoments {
  double mass = 0, x = 0, y = 0, z = 0, reach = 0;
  std::array<double, 6> second_moments{};  ///< xx, yy, zz, xy, xz, yz
  std::array<double, 10> third_moments{};  ///< xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, xyz

  ExactMoments(const MassPoints& particles, Range own, const Vec4& found) {
    const auto part = std::span(particles).subspan(own.first, own.count);
    for (const Vec4& p : part) mass += p.w;
    for (const Vec4& p : part) {
      const double share = mass > 0 ? p.w / mass : 1.0 / own.count;
      x += share * p.x;
      y += share * p.y;
      z += share * p.z;
    }
    for (const Vec4& p : part) {
      const double dx = p.x - x, dy = p.y - y, dz = p.z - z;
      const std::array products{dx * dx, dy * dy, dz * dz, dx * dy, dx * dz, dy * dz};
      const std::array thirds{dx * dx * dx, dy * dy * dy, dz * dz * dz, dx * dx * dy, dx * dx * dz,
                              dx * dy * dy, dy * dy * dz, dx * dz * dz, dy * dz * dz, dx * dy * dz};
      for (std::size_t k = 0; k < 6; ++k) second_moments[k] += p.w * products[k];
      for (std::size_t k = 0; k < 10; ++k) third_moments[k] += p.w * thirds[k];
      reach = std::max(reach, distance(p, found));
    }
  }
};

template <class Case>
class CellMoments : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  void build_for(const MassPoints& particles, std::uint32_t leaf_capacity) {
    sorted_ = sorted_by_key(particles);
    build(this->device, tree_, sorted_.keys, leaf_capacity);
  }
  MassPoints& particles() { return sorted_.particles; }

  FoundMoments update() {
    const auto position = to_device<Device>(sorted_.particles);
    update_moments<Order::octupole>(this->device, tree_, position.data());
    this->device.synchronize();
    return {to_host(tree_.center), to_host(tree_.size),
            to_host(tree_.moments.template of<Order::quadrupole>()),
            to_host(tree_.moments.template of<Order::octupole>())};
  }

  /// \param spacing distance between floats near the particles, to which centres are rounded
  /// \param slack largest size over the exact one
  void expect_moments(double spacing, double slack = 2) {
    const FoundMoments found = update();
    const Topology cells(tree_);
    for (std::uint32_t cell = 0; cell < cells.cells(); ++cell) {
      const Vec4 center = found.center[cell];
      const ExactMoments exact(particles(), cells.particles[cell], center);
      const double b = exact.reach, rounding = 2 * spacing + 1e-6 * b;
      ASSERT_NEAR(center.w, exact.mass, 1e-6 * exact.mass) << "cell " << cell;
      ASSERT_GE(found.size[cell], b * (1 - 1e-6)) << "cell " << cell;
      ASSERT_LE(found.size[cell], slack * b + rounding) << "cell " << cell;
      const auto [xx, yy, zz, xy, xz, yz] = found.second_moments[cell];
      const auto& [exact_xx, exact_yy, exact_zz, exact_xy, exact_xz, exact_yz] =
          exact.second_moments;
      const double trace = exact_xx + exact_yy + exact_zz;
      const double moment = 1e-5 * trace + exact.mass * rounding * (2 * b + rounding);
      ASSERT_NEAR(xx, exact_xx, moment) << "cell " << cell;
      ASSERT_NEAR(yy, exact_yy, moment) << "cell " << cell;
      ASSERT_NEAR(zz, exact_zz, moment) << "cell " << cell;
      ASSERT_NEAR(xy, exact_xy, moment) << "cell " << cell;
      ASSERT_NEAR(xz, exact_xz, moment) << "cell " << cell;
      ASSERT_NEAR(yz, exact_yz, moment) << "cell " << cell;
      const auto& t = found.third_moments[cell];
      const std::array thirds{t.xxx, t.yyy, t.zzz, t.xxy, t.xxz, t.xyy, t.yyz, t.xzz, t.yzz, t.xyz};
      const double third = 1e-5 * b * trace + 2 * rounding * (trace + exact.mass * rounding * b);
      for (std::size_t k = 0; k < 10; ++k) {
        ASSERT_NEAR(thirds[k], exact.third_moments[k], third) << "cell " << cell << ", " << k;
      }
      if (exact.mass == 0) continue;
      ASSERT_NEAR(center.x, exact.x, rounding) << "cell " << cell;
      ASSERT_NEAR(center.y, exact.y, rounding) << "cell " << cell;
      ASSERT_NEAR(center.z, exact.z, rounding) << "cell " << cell;
    }
  }

  Sorted sorted_;
  Tree<Device> tree_;
};
TYPED_TEST_SUITE(CellMoments, Devices);

TYPED_TEST(CellMoments, AgreeWithSumsOverTheParticles) {
  for (const auto& particles : {uniform_cube(5000), cuspy_sphere(5000), collinear(1000),
                                half_in_a_point(1000), uniform_cube(1), uniform_cube(2)}) {
    for (const std::uint32_t capacity : {1, 8, 32}) {
      this->build_for(particles, capacity);
      ASSERT_NO_FATAL_FAILURE(this->expect_moments(1e-6));
    }
  }
}

TYPED_TEST(CellMoments, OfOnePointHaveNoExtent) {
  for (const auto& particles : {coincident(1000000), coincident(1000), uniform_cube(1)}) {
    this->build_for(particles, 8);
    const FoundMoments found = this->update();
    EXPECT_FLOAT_EQ(found.center[0].x, particles[0].x);
    EXPECT_FLOAT_EQ(found.center[0].y, particles[0].y);
    EXPECT_FLOAT_EQ(found.center[0].z, particles[0].z);
    EXPECT_NEAR(found.center[0].w, particles[0].w * double(particles.size()), 1e-5)
        << particles.size();
    EXPECT_EQ(found.size[0], 0);
    EXPECT_EQ(found.second_moments[0].trace(), 0);
    EXPECT_EQ(found.third_moments[0].xyz, 0);
  }
}

TYPED_TEST(CellMoments, HaveNoRoomForThirdMomentsThatNoOrderWants) {
  this->build_for(uniform_cube(100), 8);
  EXPECT_EQ(this->update().third_moments.size(), this->tree_.cells());
  const auto position = to_device<typename TestFixture::Device>(this->particles());
  update_moments<Order::quadrupole>(this->device, this->tree_, position.data());
  EXPECT_EQ(this->tree_.moments.template of<Order::octupole>().size(), 0U);
}

TYPED_TEST(CellMoments, LoseNothingButTheFloatsSpacingFarFromTheOrigin) {
  this->build_for(moved(uniform_cube(5000), 1e4F, -1e4F, 1e4F), 8);
  this->expect_moments(1e4 * 0x1p-23);
}

TYPED_TEST(CellMoments, EncloseParticlesWithoutMass) {
  MassPoints particles = uniform_cube(2000);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    // All particles of one octant, and every third one elsewhere.
    if (i % 3 == 0 || (particles[i].x > 0 && particles[i].y > 0)) particles[i].w = 0;
  }
  this->build_for(particles, 4);
  this->expect_moments(1e-6, 4);
}

TYPED_TEST(CellMoments, AreFiniteWhereNothingHasMass) {
  MassPoints particles = uniform_cube(100);
  for (Vec4& p : particles) p.w = 0;
  this->build_for(particles, 4);
  this->expect_moments(1e-6, 4);
  for (const Vec4& center : this->update().center) {
    EXPECT_TRUE(std::isfinite(center.x) && std::isfinite(center.y) && std::isfinite(center.z));
    EXPECT_EQ(center.w, 0);
  }
}

TYPED_TEST(CellMoments, FollowParticlesThatMoveInAnOldTree) {
  this->build_for(cuspy_sphere(3000), 8);
  this->update();
  Random random(5);
  for (Vec4& p : this->particles()) {
    p.x += float(random.uniform(-0.3, 0.3));
    p.y += float(random.uniform(-0.3, 0.3));
    p.z += 2;
  }
  this->expect_moments(1e-6);
}

}  // namespace
}  // namespace gothic
