#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ic/multipole_potential.hpp"

namespace gothic::ic {
namespace {

constexpr double pi = std::numbers::pi;

/// Miyamoto & Nagai (1975), G = M = a = 1.
struct MiyamotoNagai {
  double b;

  double density(double R, double z) const {
    const double root = std::hypot(z, b), depth = 1 + root;
    return b * b / (4 * pi) * (R * R + (1 + 3 * root) * depth * depth) /
           (std::pow(R * R + depth * depth, 2.5) * root * root * root);
  }
  double potential(double R, double z) const { return -1 / std::hypot(R, 1 + std::hypot(z, b)); }
};

TEST(MultipolePotential, MiyamotoNagai) {
  const MiyamotoNagai disc{0.8};
  MultipolePotential potential(1e-3, 3e5, 1024, {.height = 0.8, .thickness = 1e9, .extent = 60});
  potential.solve([&](double R, double z) { return disc.density(R, z); }, 2);
  for (const double R : {0.001, 0.1, 0.5, 1.0, 3.0, 10.0, 30.0}) {
    for (const double z : {0.0, 0.05, 0.3, 1.0, 4.0}) {
      EXPECT_NEAR(potential(R, z) / disc.potential(R, z), 1, 1e-6) << R << ' ' << z;
    }
  }
}

TEST(MultipolePotential, SphereOfUniformDensity) {
  MultipolePotential potential(1e-3, 4, 2048, {.height = 1, .thickness = 4, .extent = 4});
  // Smoothed at the edge, r = 1, over 2 %.
  potential.solve([](double R, double z) { return std::erfc((std::hypot(R, z) - 1) / 0.02) / 2; },
                  1);
  const double edge = 0.02 / std::sqrt(2.0);  // spread of the edge
  const double mass = 4 * pi / 3 * (1 + 3 * edge * edge);
  EXPECT_NEAR(potential(0, 2) / (-mass / 2), 1, 1e-6);
  EXPECT_NEAR(potential(1.5, 1.5) / (-mass / std::hypot(1.5, 1.5)), 1, 1e-6);
  EXPECT_NEAR(potential(0.3, 0.4) - potential(0, 0.1), 2 * pi / 3 * 0.24, 1e-8);
  EXPECT_NEAR(potential.mean_density(600), 1, 1e-9);
}

TEST(MultipolePotential, ThickExponentialDisc) {
  // exp(-R) sech^2(z / z0) / (2 z0) by its Hankel transform (Casertano 1983), with SciPy.
  struct Value {
    double R, z, potential;
  };
  const double z0 = 0.2;
  MultipolePotential potential(1e-4, 50, 900, {.height = z0, .thickness = 20 * z0, .extent = 15});
  potential.solve(
      [&](double R, double z) {
        const double c = std::cosh(z / z0);
        return std::exp(-R) / (2 * z0 * c * c);
      },
      2);
  for (const auto [R, z, expected] : {Value{0.01, 0, -5.624002292244626},
                                      {1, 0, -4.487254408927394},
                                      {1, 0.2, -4.313624305318963},
                                      {5, 1, -1.2840309324177799}}) {
    EXPECT_NEAR(potential(R, z) / expected, 1, 1e-8) << R << ' ' << z;
  }
}

TEST(MultipolePotential, DoesNotDependOnTheThreads) {
  const MiyamotoNagai disc{0.5};
  const auto density = [&](double R, double z) { return disc.density(R, z); };
  MultipolePotential one(1e-2, 1e3, 200, {.height = 0.5, .thickness = 5, .extent = 10});
  MultipolePotential three = one;
  one.solve(density, 1);
  three.solve(density, 3);
  for (const double R : {0.02, 0.7, 9.0}) EXPECT_EQ(one(R, 0.3), three(R, 0.3));
}

}  // namespace
}  // namespace gothic::ic
