#include <gtest/gtest.h>

#include <numbers>

#include "fixtures.hpp"

namespace gothic::ic {
namespace {

TEST(KingShape, EndsWhereItIsKnownTo) {
  struct Edge {
    double w0, log_radius;
  };
  for (const auto [w0, log_radius] :
       {Edge{1, 0.2955}, Edge{3, 0.6720}, Edge{5, 1.0293}, Edge{6, 1.2551}, Edge{7, 1.5277},
        Edge{9, 2.1185}, Edge{12, 2.7389}}) {
    const ShapePointer shape = king_shape(w0);
    EXPECT_NEAR(std::log10(shape->reach()), log_radius, 5e-5) << w0;
    EXPECT_GT(shape->jet(0.999 * shape->reach()).value, 0) << w0;
    EXPECT_EQ(shape->jet(1.001 * shape->reach()).value, 0) << w0;
  }
}

class King : public ::testing::TestWithParam<double> {
 protected:
  /// W at a fraction of the radius of the edge, from the potential of the mass.
  double depth(double fraction) const {
    const double here = std::log(fraction * shape_->reach());
    return (system_.deficit(edge_t_) - system_.deficit(here)) / variance_;
  }

  double w0_ = GetParam();
  ShapePointer shape_ = king_shape(w0_);
  SphericalSystem system_ = spheres_of(king_sphere(w0_));
  double variance_ = 4 * std::numbers::pi * system_.profiles()[0].rho0() / 9;  // sigma^2
  double edge_t_ = std::log(shape_->reach());
};

TEST_P(King, DensityIsTheIntegralOfTheLoweredMaxwellian) {
  const auto density = [&](double w) {
    // 4 pi integral (exp(w - u^2) - 1) u^2 du, by the midpoint rule in u = sqrt(w) sin(a).
    const int points = 2000;
    double sum = 0;
    for (int k = 0; k < points; ++k) {
      const double a = (k + 0.5) * std::numbers::pi / 2 / points, u = std::sqrt(w) * std::sin(a);
      sum += std::expm1(w - u * u) * u * u * std::sqrt(w) * std::cos(a);
    }
    return sum / points;
  };
  for (const double x : {1e-7, 0.05, 0.3, 0.9}) {
    const double expected = density(depth(x)) / density(w0_);
    EXPECT_NEAR(shape_->jet(x * shape_->reach()).value / expected, 1, 1e-6) << x;
  }
}

TEST_P(King, DistributionFunctionIsTheLoweredMaxwellian) {
  const DistributionFunction f(system_, 0);
  const double unit = f.at(std::log(0.5 * shape_->reach())) / std::expm1(depth(0.5));
  for (const double x : {0.01, 0.1, 0.3, 0.9}) {
    const double t = std::log(x * shape_->reach());
    EXPECT_NEAR(f.at(t) / (unit * std::expm1(depth(x))), 1, 1e-5) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(All, King, ::testing::Values(1, 5, 12));

}  // namespace
}  // namespace gothic::ic
