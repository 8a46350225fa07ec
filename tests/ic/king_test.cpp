#include "ic/king.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fixtures.hpp"
#include "ic/distribution_function.hpp"

namespace gothic::ic {
namespace {

TEST(KingShape, EndsWhereItIsKnownTo) {
  struct Edge {
    double w0, log_radius;
  };
  for (const auto [w0, log_radius] :
       {Edge{1, 0.2955}, Edge{3, 0.6720}, Edge{5, 1.0293}, Edge{6, 1.2551}, Edge{7, 1.5277},
        Edge{9, 2.1185}, Edge{12, 2.7389}}) {
    const KingShape shape(w0);
    EXPECT_NEAR(std::log10(shape.reach()), log_radius, 5e-5) << w0;
    EXPECT_GT(shape.jet(0.999 * shape.reach()).value, 0) << w0;
    EXPECT_EQ(shape.jet(1.001 * shape.reach()).value, 0) << w0;
  }
}

class King : public ::testing::TestWithParam<double> {
 protected:
  double w0_ = GetParam();
  KingShape shape_{w0_};
  SphericalSystem system_ = spheres_of(king_sphere(w0_));
  double variance_ = 4 * std::numbers::pi * system_.profiles()[0].rho0() / 9;  // sigma^2
  double edge_t_ = std::log(shape_.reach());
};

TEST_P(King, CentralDensityIsOne) {
  EXPECT_NEAR(shape_.jet(1e-7).value, 1, 1e-10);
  EXPECT_NEAR(shape_.potential(1e-7), w0_, 1e-10);
}

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
  for (const double x : {0.05, 0.3, 0.9}) {
    const double at = x * shape_.reach(), expected = density(shape_.potential(at)) / density(w0_);
    EXPECT_NEAR(shape_.jet(at).value / expected, 1, 1e-6) << x;
  }
}

TEST_P(King, PotentialIsThatOfItsMass) {
  for (const double x : {0.01, 0.3, 0.8, 0.99}) {
    const double t = std::log(x * shape_.reach());
    const double above_edge = system_.deficit(edge_t_) - system_.deficit(t);
    EXPECT_NEAR(above_edge / variance_, shape_.potential(std::exp(t)), 1e-7 * w0_) << x;
  }
}

TEST_P(King, DistributionFunctionIsTheLoweredMaxwellian) {
  const DistributionFunction f(system_, 0);
  const double edge = system_.potential(edge_t_);
  const double unit = (f(edge + 0.5 * w0_ * variance_)) / std::expm1(0.5 * w0_);
  for (const double w : {0.03, 0.1, 0.7, 0.9, 0.99}) {
    const double expected = unit * std::expm1(w * w0_);
    EXPECT_NEAR(f(edge + w * w0_ * variance_) / expected, 1, 1e-5) << w;
  }
}

INSTANTIATE_TEST_SUITE_P(All, King, ::testing::Values(1, 5, 12));

}  // namespace
}  // namespace gothic::ic
