#pragma once

#include "core/device/annotations.hpp"
#include "core/device/vec4.hpp"

namespace gothic {

// Vectors of three components; the fourth of the result is zero.
GOTHIC_HD inline Vec4 operator+(const Vec4& a, const Vec4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, 0};
}
GOTHIC_HD inline Vec4 operator-(const Vec4& a, const Vec4& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, 0};
}
GOTHIC_HD inline Vec4 operator*(float factor, const Vec4& a) {
  return {factor * a.x, factor * a.y, factor * a.z, 0};
}
GOTHIC_HD inline float dot(const Vec4& a, const Vec4& b) {
  return a.x * b.x + (a.y * b.y + a.z * b.z);
}
GOTHIC_HD inline float length2(const Vec4& a) { return dot(a, a); }
GOTHIC_HD inline Vec4 cross(const Vec4& a, const Vec4& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}

/// The point that is equally far from some points, in the line, plane or space through them.
struct Circumcenter {
  Vec4 center;
  float weight[4];  ///< of the points; sum 1, all positive if the centre is between them
};

/// The points on which an enclosing ball rests: one to four, no three on a line, no four in a
/// plane. Loops have constant bounds, so that a GPU keeps the points in registers.
class SupportSet {
 public:
  static constexpr int most = 4;

  /// There must be room.
  GOTHIC_HD void add(const Vec4& point) {
    for (int i = 0; i < most; ++i) {
      if (i == size_) points_[i] = point;
    }
    ++size_;
  }
  GOTHIC_HD void drop(int which) {
    for (int i = 0; i + 1 < most; ++i) {
      if (i >= which) points_[i] = points_[i + 1];
    }
    --size_;
  }
  GOTHIC_HD bool is_full() const { return size_ == most; }
  GOTHIC_HD const Vec4& first() const { return points_[0]; }

  /// The point with the least weight.
  struct Lightest {
    int point;
    float weight;
  };
  GOTHIC_HD Lightest lightest(const Circumcenter& of) const {
    Lightest result{0, of.weight[0]};
    for (int i = 1; i < most; ++i) {
      if (i < size_ && of.weight[i] < result.weight) result = {i, of.weight[i]};
    }
    return result;
  }

  /// Centre of the smallest sphere through all points; not a number if they depend on each other.
  GOTHIC_OUT_OF_LINE GOTHIC_HD Circumcenter circumcenter() const {
    if (size_ == 1) return {points_[0], {1, 0, 0, 0}};
    const Vec4 u1 = points_[1] - points_[0];
    if (size_ == 2) return {points_[0] + 0.5F * u1, {0.5F, 0.5F, 0, 0}};
    // With three points, a third equation beside 2 u_i . x = u_i . u_i confines x to their plane.
    const Vec4 u2 = points_[2] - points_[0];
    const Vec4 normal = cross(u1, u2);
    const Vec4 u3 = size_ == most ? points_[3] - points_[0] : normal;
    const float third = size_ == most ? length2(u3) : 0;
    const Vec4 v1 = cross(u2, u3), v2 = cross(u3, u1);
    const float inverse = 1 / dot(normal, u3);
    const Vec4 x = 0.5F * inverse * (length2(u1) * v1 + (length2(u2) * v2 + third * normal));
    Circumcenter result{points_[0] + x, {}};
    result.weight[1] = inverse * dot(x, v1);
    result.weight[2] = inverse * dot(x, v2);
    result.weight[3] = size_ == most ? inverse * dot(x, normal) : 0;
    result.weight[0] = 1 - (result.weight[1] + result.weight[2] + result.weight[3]);
    return result;
  }

 private:
  Vec4 points_[most];
  int size_ = 0;
};

}  // namespace gothic
