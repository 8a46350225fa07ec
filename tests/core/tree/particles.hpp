#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "core/device/vec4.hpp"

/// Particles for tests: positions and masses, the same on every machine and in every run.
namespace gothic::test {

using MassPoints = std::vector<Vec4>;

/// Uniform numbers; the standard's distributions differ from library to library.
class Random {
 public:
  explicit Random(std::uint32_t seed) : generator_(seed) {}
  /// A number in (0, 1).
  double uniform() { return (generator_() + 0.5) / 4294967296.0; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::uint32_t below(std::uint32_t n) { return std::uint32_t(uniform() * n); }

  /// A random place at the distance r from the origin.
  Vec4 on_sphere(double r, float mass) {
    const double z = uniform(-1, 1), phi = uniform(0, 2 * std::numbers::pi);
    const double across = r * std::sqrt(1 - z * z);
    return {float(across * std::cos(phi)), float(across * std::sin(phi)), float(r * z), mass};
  }

 private:
  std::mt19937 generator_;
};

/// Particles in the cube [-1, 1]^3 with a total mass of 1. Masses differ by up to a factor 10.
inline MassPoints uniform_cube(std::size_t n, std::uint32_t seed = 1) {
  Random random(seed);
  MassPoints particles(n);
  for (Vec4& p : particles) {
    p = {float(random.uniform(-1, 1)), float(random.uniform(-1, 1)), float(random.uniform(-1, 1)),
         float(random.uniform(0.2, 2) / double(n))};
  }
  return particles;
}

/// A cusp as in an NFW sphere, with density 1/r, and a halo with density r^-3, out to r = 10.
inline MassPoints cuspy_sphere(std::size_t n, std::uint32_t seed = 2) {
  Random random(seed);
  MassPoints particles(n);
  for (Vec4& p : particles) {
    const double u = random.uniform();
    const double r = u < 0.5 ? std::sqrt(2 * u) : std::pow(10.0, 2 * u - 1);
    p = random.on_sphere(r, float(1.0 / double(n)));
  }
  return particles;
}

/// Plummer sphere of mass 1 and scale 1, cut off at r = 20.
inline MassPoints plummer_sphere(std::size_t n, std::uint32_t seed = 3) {
  Random random(seed);
  MassPoints particles(n);
  for (Vec4& p : particles) {
    double r = 21;
    while (r > 20) r = 1 / std::sqrt(std::pow(random.uniform(), -2.0 / 3) - 1);
    p = random.on_sphere(r, float(1.0 / double(n)));
  }
  return particles;
}

/// Particles in one point.
inline MassPoints coincident(std::size_t n) {
  return MassPoints(n, Vec4{0.3F, -0.2F, 0.7F, float(1.0 / double(n))});
}

/// Particles in two points, half of them in each.
inline MassPoints two_points(std::size_t n) {
  MassPoints particles = coincident(n);
  for (std::size_t i = 0; i < n; i += 2) particles[i].x = -0.4F;
  return particles;
}

/// Particles half in one point, half in a Plummer sphere.
inline MassPoints half_in_a_point(std::size_t n) {
  MassPoints particles = plummer_sphere(n);
  for (std::size_t i = 0; i < n; i += 2) particles[i] = {0.3F, -0.2F, 0.7F, particles[i].w};
  return particles;
}

/// Particles on a straight line that is parallel to no axis.
inline MassPoints collinear(std::size_t n) {
  Random random(4);
  MassPoints particles(n);
  for (Vec4& p : particles) {
    const double t = random.uniform();
    p = {float(t), float(2 * t - 1), float(-0.5 * t), float(1.0 / double(n))};
  }
  return particles;
}

inline MassPoints moved(MassPoints particles, float dx, float dy, float dz) {
  for (Vec4& p : particles) {
    p.x += dx;
    p.y += dy;
    p.z += dz;
  }
  return particles;
}

inline double distance(const Vec4& a, const Vec4& b) {
  return std::hypot(double(a.x) - b.x, double(a.y) - b.y, double(a.z) - b.z);
}

/// The value below which a fraction of all values lies.
inline double percentile(std::vector<double> values, double fraction) {
  const auto place = std::ptrdiff_t(fraction * double(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[std::size_t(place)];
}

}  // namespace gothic::test
