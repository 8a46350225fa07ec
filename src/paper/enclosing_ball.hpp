#pragma once

#include <cmath>
#include <cstdint>

#include "core/gravity/group_box.hpp"
#include "core/gravity/pair.hpp"
#include "paper/force_variant.hpp"
#include "paper/support_set.hpp"

/// Balls that enclose the particles of a group, each kind by a warp (Miki & Umemura 2017,
/// appendix B).
namespace gothic {

/// Makes balls around the points that a warp has in its registers, K per lane. Points may be there
/// several times.
template <class Warp, int K>
class BallMaker {
 public:
  using Float = typename Warp::Float;
  using Mask = typename Warp::Mask;

  /// \param mass of the points; 0 for points that are there already
  GOTHIC_HD BallMaker(const Targets<Warp, K>& at, const Float (&mass)[K])
      : at_(at), mass_(mass), box_(GroupBox::around(LaneBox<Warp>::around(at))) {
    const Vec4 center = box_.center();
    scale_ = box_.half_side();
    const float inverse = scale_ > 1e-30F ? 1 / scale_ : 0;  // 0: all are one point
    for (int k = 0; k < K; ++k) {
      unit_.x[k] = inverse * (at.x[k] - center.x);
      unit_.y[k] = inverse * (at.y[k] - center.y);
      unit_.z[k] = inverse * (at.z[k] - center.z);
    }
  }

  /// Centre, and radius that encloses all points whatever the rounding of the centre.
  ///
  /// The smallest ball is the smallest of all kinds to the last bit: each kind comes from the same
  /// instructions, whether it is wanted or compared with.
  GOTHIC_HD Vec4 make(Ball wanted) const {
    Vec4 best{0, 0, 0, 3e38F}, center;
    GOTHIC_NEVER_UNROLL
    for (int kind = 0; kind < 4; ++kind) {
      if (!counts(Ball(kind), wanted)) continue;
      if (Ball(kind) == Ball::com) center = center_of_mass();
      if (Ball(kind) == Ball::ebs) center = ritter();
      if (Ball(kind) == Ball::seb) center = smallest(center);
      const Vec4 ball = around(center);
      if (ball.w < best.w) best = ball;
    }
    return best;
  }

 private:
  /// More rounds than any group needs, unless rounding has them go in circles.
  static constexpr int most_rounds = 64;

  /// Whether a ball may be the one that is wanted.
  GOTHIC_HD static bool counts(Ball kind, Ball wanted) {
    return kind == wanted || wanted == Ball::seb ||
           (wanted == Ball::cmp && (kind == Ball::geo || kind == Ball::com));
  }

  /// The ball about a centre in units of the box.
  GOTHIC_HD Vec4 around(const Vec4& center) const {
    const Vec4 middle = box_.center();
    Vec4 ball{middle.x + scale_ * center.x, middle.y + scale_ * center.y,
              middle.z + scale_ * center.z, 0};
    ball.w = ball_safety * std::sqrt(Warp::max(farthest2(at_, ball)));
    return ball;
  }

  GOTHIC_HD Vec4 center_of_mass() const {
    Float mass = mass_[0], x = mass * unit_.x[0], y = mass * unit_.y[0], z = mass * unit_.z[0];
    for (int k = 1; k < K; ++k) {
      mass += mass_[k];
      x += mass_[k] * unit_.x[k];
      y += mass_[k] * unit_.y[k];
      z += mass_[k] * unit_.z[k];
    }
    const float total = Warp::sum(mass), inverse = total > 0 ? 1 / total : 0;
    return {inverse * Warp::sum(x), inverse * Warp::sum(y), inverse * Warp::sum(z), 0};
  }

  /// The first point in `mask(k)`; the origin if there is none.
  template <class MaskAt>
  GOTHIC_HD Vec4 first_point(MaskAt mask) const {
    for (int k = 0; k < K; ++k) {
      const Mask here = mask(k);
      if (Warp::any(here)) {
        return {Warp::pick(here, unit_.x[k]), Warp::pick(here, unit_.y[k]),
                Warp::pick(here, unit_.z[k]), 0};
      }
    }
    return {};
  }

  GOTHIC_HD Float distance2(int k, const Vec4& center) const {
    const Float dx = unit_.x[k] - center.x, dy = unit_.y[k] - center.y, dz = unit_.z[k] - center.z;
    return dx * dx + (dy * dy + dz * dz);
  }

  /// The point that is farthest from a centre, and its squared distance.
  GOTHIC_HD Vec4 farthest(const Vec4& center) const {
    Float d2[K], d2_max = 0;
    for (int k = 0; k < K; ++k) {
      d2[k] = distance2(k, center);
      d2_max = Warp::max(d2_max, d2[k]);
    }
    const float most = Warp::max(d2_max);
    Vec4 point = first_point([&](int k) { return d2[k] >= Float(most); });
    point.w = most;
    return point;
  }

  /// Centre of the efficient bounding sphere (Ritter 1990): the ball over two points far from each
  /// other grows, and moves, just so far that it takes in a point outside of it, until there is
  /// none.
  ///
  /// The first of the two points is farthest from the middle, the second is farthest from the
  /// first. The farthest point outside is taken in first. This suits lanes, and gives smaller balls
  /// than extremes along the axes and the order of the list.
  GOTHIC_HD Vec4 ritter() const {
    const Vec4 one = farthest({}), other = farthest(one);
    Vec4 ball = one + 0.5F * (other - one);
    ball.w = 0.5F * std::sqrt(other.w);
    for (int round = 0; round < most_rounds; ++round) {
      const Vec4 point = farthest(ball);
      const float distance = std::sqrt(point.w);
      if (distance <= ball_safety * ball.w) break;
      const float radius = 0.5F * (ball.w + distance);
      ball = ball + ((distance - radius) / distance) * (point - ball);
      ball.w = radius;
    }
    return ball;
  }

  /// Centre of the smallest enclosing ball (Fischer, Gaertner & Kutz 2003).
  ///
  /// The ball rests on points of its surface, first on one. Its centre walks towards the centre of
  /// the smallest sphere through these points, which lets the ball shrink. If another point comes
  /// to lie on the surface, the ball rests on this point, too. If the centre arrives and lies
  /// between the points, no ball is smaller. Otherwise the point of the most negative weight is
  /// left behind.
  GOTHIC_HD Vec4 smallest(Vec4 center) const {
    SupportSet support;
    support.add(farthest(center));
    for (int round = 0; round < most_rounds; ++round) {
      const Circumcenter goal = support.circumcenter();
      const Vec4 way = goal.center - center;
      const float radius2 = length2(support.first() - center);
      // The goal is in the ball, if the points are as independent as they seem.
      if (!(length2(way) <= 1.01F * radius2)) break;
      if (!support.is_full()) {
        const Vec4 hit = first_hit(center, way, support.first(), radius2);
        center = center + hit.w * way;
        if (hit.w < 1) {
          support.add(hit);
          continue;
        }
      }
      const auto behind = support.lightest(goal);
      if (behind.weight > -tolerance) break;
      support.drop(behind.point);
    }
    return center;
  }

  /// Weights above minus this count for zero, which makes the radius too large by a fraction of
  /// about half of its square.
  static constexpr float tolerance = 0x1p-12F;
  /// A point that comes nearer to the surface by less than this on the whole way counts as a point
  /// that the ball rests on already. Such points come no nearer but for rounding.
  static constexpr float same = 2e-6F;

  /// The point that is on the surface first when the centre of a ball walks from `center` by `way`
  /// while `on_surface` stays there, and the fraction of the way until then, 1 if there is none.
  /// The fraction f solves |c + f w - p|^2 = |c + f w - s|^2, which is linear in it.
  GOTHIC_HD Vec4 first_hit(const Vec4& center, const Vec4& way, const Vec4& on_surface,
                           float radius2) const {
    const float own = dot(way, on_surface - center);
    Float fraction[K], least = 1;
    for (int k = 0; k < K; ++k) {
      const Float dx = unit_.x[k] - center.x, dy = unit_.y[k] - center.y,
                  dz = unit_.z[k] - center.z;
      const Float depth = radius2 - (dx * dx + (dy * dy + dz * dz));
      const Float nearer = 2 * (own - (way.x * dx + (way.y * dy + way.z * dz)));
      const Float hit = Warp::max(Float(0), depth) / nearer;
      fraction[k] = Warp::select(nearer > Float(same), hit, Float(1));
      least = Warp::min(least, fraction[k]);
    }
    const float first = Warp::min(least);
    if (!(first < 1)) return {0, 0, 0, 1};
    Vec4 point = first_point([&](int k) { return fraction[k] <= Float(first); });
    point.w = first;
    return point;
  }

  Targets<Warp, K> at_, unit_;  ///< in the user's frame, and in units of the box
  const Float (&mass_)[K];
  GroupBox box_;
  float scale_;  ///< half of the box's longest side
};

}  // namespace gothic
