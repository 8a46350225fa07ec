#pragma once

#include <cstdint>

#include "core/gravity/pair.hpp"
#include "core/tree/tree.hpp"

/// The boxes of groups of particles, and the neighbours that count for a group. The ball that
/// stands for a group has its centre at the centre of the box.
namespace gothic {

/// Factor that widens enclosing balls, so that rounding cannot put a small cell inside a ball
/// outside of it.
inline constexpr float ball_safety = 1 + 1e-6F;

/// Particles, active or not, that count for the ball and the scale of a group besides its own: all
/// particles in the same block of `size` places as the group's first particle, in the order of the
/// tree.
struct Neighbourhood {
  std::uint32_t particles = 0;  ///< of the tree; 0: only the group itself counts
  std::uint32_t size = 1;

  /// Their places, around the place of the group's first particle.
  GOTHIC_HD Range around(std::uint32_t place) const {
    if (particles == 0) return {};
    const std::uint32_t first = place / size * size, rest = particles - first;
    return {first, rest < size ? rest : size};
  }
};

/// Registers of a warp that a group and its neighbours may fill.
inline constexpr int most_group_registers = 4;

/// Registers that hold so many particles, one per lane.
template <class Warp>
constexpr int registers_for(std::uint32_t particles) {
  return (int(particles) + Warp::width - 1) / Warp::width;
}

/// f(first, n) for the parts of a range, of a warp's width at most.
template <class Warp, class F>
GOTHIC_HD inline void for_each_run(Range range, F f) {
  GOTHIC_UNROLL_ON_GPU(1)
  for (std::uint32_t done = 0; done < range.count; done += Warp::width) {
    const std::uint32_t rest = range.count - done;
    f(range.first + done, rest < Warp::width ? int(rest) : Warp::width);
  }
}

/// Smallest and largest coordinates of points, lane by lane.
template <class Warp>
struct LaneBox {
  using Float = typename Warp::Float;
  Float low[3], high[3];

  GOTHIC_HD LaneBox(const Float& x, const Float& y, const Float& z) : low{x, y, z}, high{x, y, z} {}

  GOTHIC_HD void include(const Float& x, const Float& y, const Float& z) {
    const Float here[3] = {x, y, z};
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = Warp::min(low[axis], here[axis]);
      high[axis] = Warp::max(high[axis], here[axis]);
    }
  }

  template <int K>
  GOTHIC_HD static LaneBox around(const Targets<Warp, K>& at) {
    LaneBox box(at.x[0], at.y[0], at.z[0]);
    for (int k = 1; k < K; ++k) box.include(at.x[k], at.y[k], at.z[k]);
    return box;
  }
};

/// Bounding box of all lanes' points.
struct GroupBox {
  float low[3], high[3];

  template <class Warp>
  GOTHIC_HD static GroupBox around(const LaneBox<Warp>& lanes) {
    GroupBox box;
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = Warp::min(lanes.low[axis]);
      box.high[axis] = Warp::max(lanes.high[axis]);
    }
    return box;
  }

  GOTHIC_HD Vec4 center() const {
    return {0.5F * (low[0] + high[0]), 0.5F * (low[1] + high[1]), 0.5F * (low[2] + high[2]), 0};
  }
  /// Half of the longest side.
  GOTHIC_HD float half_side() const {
    const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    const float xy = x > y ? x : y;
    return 0.5F * (xy > z ? xy : z);
  }
};

/// Largest squared distance of points from a centre, lane by lane.
template <class Warp, int K>
GOTHIC_HD inline typename Warp::Float farthest2(const Targets<Warp, K>& at, const Vec4& center) {
  typename Warp::Float d2_max = 0;
  for (int k = 0; k < K; ++k) {
    const typename Warp::Float dx = at.x[k] - center.x, dy = at.y[k] - center.y,
                               dz = at.z[k] - center.z;
    d2_max = Warp::max(d2_max, dx * dx + (dy * dy + dz * dz));
  }
  return d2_max;
}

}  // namespace gothic
