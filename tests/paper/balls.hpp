#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/tree/particles.hpp"

/// Sets of points, and their smallest enclosing balls in double precision.
namespace gothic::test {

using Point = std::array<double, 3>;

inline double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// a + factor b.
inline Point added(const Point& a, double factor, const Point& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

/// The smallest sphere through some points. The centre is in the line, plane or space through them,
/// which `axes` span: orthogonal vectors of length 1.
struct Sphere {
  Point center;
  double radius = 0;
  std::vector<Point> axes{};

  double distance_of(const Point& p) const {
    const Point way = added(p, -1, center);
    return std::sqrt(dot(way, way));
  }
  bool encloses(const std::vector<Point>& points) const {
    return std::ranges::all_of(
        points, [&](const Point& p) { return distance_of(p) <= (1 + 1e-10) * radius; });
  }
  /// The smallest sphere through these points and another one; nothing if the other one depends on
  /// them.
  std::optional<Sphere> through(const Point& p) const {
    const double distance = distance_of(p);
    Point axis = added(p, -1, center);
    for (const Point& known : axes) axis = added(axis, -dot(axis, known), known);
    const double height = std::sqrt(dot(axis, axis));
    if (!(height > 3e-7 * distance)) return {};
    axis = added({}, 1 / height, axis);
    // Along the axis the centre stays equally far from the other points.
    const double step = (distance * distance - radius * radius) / (2 * height);
    Sphere larger{added(center, step, axis), std::hypot(radius, step), axes};
    larger.axes.push_back(axis);
    return larger;
  }
};

/// The smallest of all spheres through one to four of the points that enclose all of them.
class SmallestBall {
 public:
  explicit SmallestBall(const MassPoints& particles) {
    const Vec4 first = particles.front();
    for (const Vec4& p : particles) {
      points_.push_back({double(p.x) - first.x, double(p.y) - first.y, double(p.z) - first.z});
    }
    for (std::size_t i = 0; i < points_.size(); ++i) extend({points_[i]}, i + 1);
  }

  double radius() const { return radius_; }

 private:
  /// Tries a sphere, and all spheres through its points and some of the points from `next` on.
  void extend(const Sphere& sphere, std::size_t next) {
    if (sphere.radius < radius_ && sphere.encloses(points_)) radius_ = sphere.radius;
    if (sphere.axes.size() == 3) return;
    for (std::size_t i = next; i < points_.size(); ++i) {
      if (const auto larger = sphere.through(points_[i])) extend(*larger, i + 1);
    }
  }

  std::vector<Point> points_;
  double radius_ = 1e300;
};

/// Sets of n points, one of every kind that may be hard.
inline std::vector<std::pair<std::string, MassPoints>> sets_of_points(std::size_t n,
                                                                      std::uint32_t seed) {
  Random random(seed);
  const auto made = [&](auto point) {
    MassPoints set(n);
    for (Vec4& p : set) {
      p = point();
      p.w = float(random.uniform(0.1, 10));
    }
    return set;
  };
  const auto any = [&] { return float(random.uniform(-1, 1)); };
  const auto on_sphere = [&] { return random.on_sphere(1, 1); };
  const Vec4 a = on_sphere(), b = on_sphere();
  const auto on_plane = [&](float thick) {
    const float s = any(), t = any();
    return Vec4{s * a.x + t * b.x + thick * any(), s * a.y + t * b.y, s * a.z + t * b.z, 1};
  };
  const auto on_line = [&](float thick) {
    const float s = any();
    return Vec4{s * a.x + thick * any(), s * a.y + thick * any(), s * a.z, 1};
  };
  const auto cube = [&] { return Vec4{any(), any(), any(), 1}; };
  const auto corner = [&] {
    const auto one = [&] { return float(random.below(3)); };
    return Vec4{one(), one(), one(), 1};
  };
  const auto cluster = [&] {
    const float far = random.below(4) == 0 ? 5.0F : 0.0F;
    return Vec4{far + 0.1F * any(), 0.1F * any(), 0.1F * any(), 1};
  };
  const auto scaled = [](MassPoints set, float factor) {
    for (Vec4& p : set) p = {factor * p.x, factor * p.y, factor * p.z, p.w};
    return set;
  };
  const auto circle = [&] {
    const double phi = random.uniform(0, 2 * std::numbers::pi);
    return Vec4{float(std::cos(phi)), float(std::sin(phi)), 0.5F, 1};
  };
  return {{"in a cube", made(cube)},
          {"on a sphere", made(on_sphere)},
          {"on a lattice", made(corner)},
          {"on a circle", made(circle)},
          {"on a plane", made([&] { return on_plane(0); })},
          {"near a plane", made([&] { return on_plane(1e-5F); })},
          {"on a line", made([&] { return on_line(0); })},
          {"near a line", made([&] { return on_line(1e-4F); })},
          {"in two clusters", made(cluster)},
          {"in one point", made([&] { return a; })},
          {"in two points", made([&] { return random.below(2) == 0 ? a : b; })},
          {"far off", moved(made(cube), 3e3F, -1e4F, 5e2F)},
          {"so far off that few numbers are left", moved(made(cube), 3e6F, -1e6F, 5e5F)},
          {"tiny", scaled(made(cube), 1e-13F)},
          {"huge", scaled(made(cube), 1e13F)}};
}

}  // namespace gothic::test
