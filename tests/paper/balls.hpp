#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/tree/particles.hpp"

/// Sets of points, and their smallest enclosing balls in double precision.
namespace gothic::test {

using Point = std::array<double, 3>;

/// A ball in double precision.
struct ExactBall {
  Point center{};
  double radius = 0;

  double distance_of(const Point& p) const {
    return std::hypot(p[0] - center[0], p[1] - center[1], p[2] - center[2]);
  }
  bool encloses(const std::vector<Point>& points) const {
    return std::ranges::all_of(
        points, [&](const Point& p) { return distance_of(p) <= (1 + 1e-10) * radius; });
  }
};

/// The smallest of all balls on two, three or four of the points that enclose all of them.
class SmallestBall {
 public:
  static ExactBall of(const Particles& particles) {
    SmallestBall search(particles);
    const std::size_t n = search.points_.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        search.try_one({i, j});
        for (std::size_t k = 0; k < j; ++k) {
          search.try_one({i, j, k});
          for (std::size_t l = 0; l < k; ++l) search.try_one({i, j, k, l});
        }
      }
    }
    for (int axis = 0; axis < 3; ++axis) search.best_.center[axis] += search.origin_[axis];
    return search.best_;
  }

 private:
  explicit SmallestBall(const Particles& particles)
      : origin_{particles[0].x, particles[0].y, particles[0].z} {
    for (const Vec4& p : particles) {
      const Point point{p.x - origin_[0], p.y - origin_[1], p.z - origin_[2]};
      if (std::ranges::find(points_, point) == points_.end()) points_.push_back(point);
    }
    best_.radius = points_.size() == 1 ? 0 : 1e300;
  }

  /// Keeps the smallest sphere through these points if it encloses all and is the smallest yet.
  void try_one(const std::vector<std::size_t>& on_surface) {
    const Point& first = points_[on_surface[0]];
    const std::size_t m = on_surface.size() - 1;
    // The centre is first + sum w_i u_i with 2 u_i . sum_j w_j u_j = u_i . u_i.
    std::vector<Point> u(m);
    for (std::size_t i = 0; i < m; ++i) {
      for (int a = 0; a < 3; ++a) u[i][a] = points_[on_surface[i + 1]][a] - first[a];
    }
    std::vector<std::vector<double>> rows(m, std::vector<double>(m + 1));
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) rows[i][j] = 2 * dot(u[i], u[j]);
      rows[i][m] = dot(u[i], u[i]);
    }
    if (!eliminate(rows)) return;
    ExactBall ball{first, 0};
    for (std::size_t i = 0; i < m; ++i) {
      for (int a = 0; a < 3; ++a) ball.center[a] += rows[i][m] * u[i][a];
    }
    ball.radius = ball.distance_of(first);
    if (ball.radius < best_.radius && ball.encloses(points_)) best_ = ball;
  }

  static double dot(const Point& a, const Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }

  /// Gauss's elimination; the solution is in the last column. Returns false if there is none.
  static bool eliminate(std::vector<std::vector<double>>& rows) {
    const std::size_t m = rows.size();
    for (std::size_t c = 0; c < m; ++c) {
      const auto pivot = std::max_element(
          rows.begin() + std::ptrdiff_t(c), rows.end(),
          [&](const auto& a, const auto& b) { return std::abs(a[c]) < std::abs(b[c]); });
      const double scale = std::abs(rows[0][0]);
      if (!(std::abs((*pivot)[c]) > 1e-13 * scale)) return false;
      std::swap(rows[c], *pivot);
      for (std::size_t r = 0; r < m; ++r) {
        if (r == c) continue;
        const double factor = rows[r][c] / rows[c][c];
        for (std::size_t k = c; k <= m; ++k) rows[r][k] -= factor * rows[c][k];
      }
    }
    for (std::size_t c = 0; c < m; ++c) rows[c][m] /= rows[c][c];
    return true;
  }

  Point origin_;
  std::vector<Point> points_;
  ExactBall best_;
};

/// Sets of n points of every kind that may be hard.
inline std::vector<std::pair<std::string, Particles>> sets_of_points(std::size_t n,
                                                                     std::uint32_t seed) {
  Random random(seed);
  const auto made = [&](auto point) {
    Particles set(n);
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
  const auto scaled = [](Particles set, float factor) {
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
