#pragma once

#include "core/gravity/acceptance.hpp"

/// Which cells a walk opens, and to which order each of the others acts. One judgement serves
/// single groups, bundles of groups, and the search for what other ranks need.
namespace gothic {

/// s_I of the criterion for cells, and of the criterion for points beside them.
struct Scales {
  float of_cells = 0, of_points = 0;
};

/// Squared distances of cells from the centre of a ball.
template <class Warp>
GOTHIC_HD inline typename Warp::Float squared_distance(const typename Warp::Float4& center,
                                                       const Vec4& ball) {
  const typename Warp::Float dx = center.x - ball.x, dy = center.y - ball.y, dz = center.z - ball.z;
  return dx * dx + (dy * dy + dz * dz);
}

/// Distance from which cells may act on a particle to an order, where `highest` is the highest.
/// \param reach of the cells; see update_acceptance
template <Order highest, Order order, class Warp>
GOTHIC_HD inline typename Warp::Float reach_of(const typename Warp::Float4& reach,
                                               const Scales& scales) {
  if constexpr (order == Order::point && highest != Order::point) {
    return Warp::max(reach.z * scales.of_points, reach.w);
  } else {
    constexpr float multiple = FirstError<highest>::nearest[int(order)];
    return Warp::max(reach.x * (multiple * scales.of_cells), reach.y);
  }
}

/// Bounds of particles that are judged as one: a ball that encloses them, and their scales.
struct GroupBounds {
  Vec4 ball;
  Scales scales;

  /// Whether cells may act on all particles to an order.
  /// \param d2 squared distances of the cells from the centre of the ball
  template <Order highest, Order order, class Warp>
  GOTHIC_HD typename Warp::Mask beyond(const typename Warp::Float& d2,
                                       const typename Warp::Float4& reach) const {
    const typename Warp::Float all = ball.w + reach_of<highest, order, Warp>(reach, scales);
    return d2 >= all * all;
  }
  /// Whether there is no particle on which cells may act to an order.
  template <Order highest, Order order, class Warp>
  GOTHIC_HD typename Warp::Mask within(const typename Warp::Float& d2,
                                       const typename Warp::Float4& reach) const {
    return !beyond<highest, order, Warp>(d2, reach);
  }
};

/// What becomes of some cells. A cell that is neither opened nor acts to any order is undecided:
/// its fate differs among the particles.
template <class Warp>
struct Judgement {
  using Mask = typename Warp::Mask;
  Mask opened;
  PerOrder<Mask> acts;  ///< to the lowest order that is allowed
};

/// Judges cells.
/// \param bounds of the particles, with `beyond` and `within` as in GroupBounds
/// \param d2 squared distances of the cells from the centre of bounds.ball
/// \param reach of the cells; see update_acceptance
template <Order highest, class Warp, class Bounds>
GOTHIC_HD inline Judgement<Warp> judge(const Bounds& bounds, const typename Warp::Float& d2,
                                       const typename Warp::Float4& reach) {
  Judgement<Warp> result;
  result.opened = bounds.template within<highest, highest, Warp>(d2, reach);
  typename Warp::Mask rest = bounds.template beyond<highest, highest, Warp>(d2, reach);
  if constexpr (highest != Order::point) {
    for_each_order<Order::point, below(highest)>([&]<Order order>() {
      const typename Warp::Mask all = bounds.template beyond<highest, order, Warp>(d2, reach);
      const typename Warp::Mask none = bounds.template within<highest, order, Warp>(d2, reach);
      result.acts[order] = rest && all;
      rest = rest && none;
    });
  }
  result.acts[highest] = rest;
  return result;
}

}  // namespace gothic
