#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "gravity/enclosing_ball.hpp"
#include "gravity/pair.hpp"
#include "tree/tree.hpp"

namespace gothic {

/// Groups that want enclosing balls; all pointers to device memory.
struct GroupsOfTargets {
  const Vec4* position;          ///< [n] positions and masses
  const std::uint32_t* targets;  ///< particles that want a force
  const Range* groups;           ///< [group_count] parts of `targets`
  std::uint32_t group_count;
  std::uint32_t group_size;  ///< largest number of particles in a group
  std::uint32_t neighbours;  ///< see WalkData
};

namespace detail {

struct BallScratch {
  static constexpr bool many_registers = true;
};

/// Ball of a group; there is room for all its particles and, if they count, its neighbours in K
/// registers.
template <int K, class Warp>
GOTHIC_HD Vec4 ball_of(Ball kind, const GroupsOfTargets& data, Range group) {
  const std::uint32_t* const targets = data.targets + group.first;
  Targets<Warp, K> at;
  typename Warp::Float mass[K];
  const auto put = [&](int k, const typename Warp::Float4& p, int n) {
    at.x[k] = p.x;
    at.y[k] = p.y;
    at.z[k] = p.z;
    mass[k] = Warp::select(Warp::first(n), p.w, typename Warp::Float(0));
  };
  for (int k = 0; k < K; ++k) {
    const int n = int(group.count) - k * Warp::width;
    const auto index = n > 0 ? Warp::load(targets + k * Warp::width, n) : Warp::load(targets, 1);
    put(k, Warp::gather(data.position, index), n);
  }
  if (data.neighbours > 0) {
    const auto near = Neighbourhood::of<Warp>(targets[0], data.neighbours);
    put(K - 1, Warp::load(data.position + near.first, near.count), near.count);
  }
  return BallMaker<Warp, K>(at, mass).make(kind);
}

template <int K, class Device>
void make_balls_with(const Device& device, Ball kind, const GroupsOfTargets& data, Vec4* balls) {
  using Warp = typename Device::Warp;
  device.template for_each_warp<BallScratch>(
      std::size_t(data.group_count), [=] GOTHIC_HD(BallScratch&, std::size_t i) {
        const Vec4 ball = ball_of<K, Warp>(kind, data, data.groups[i]);
        Warp::scatter(balls + i, Warp::sequence(0), 1, {ball.x, ball.y, ball.z, ball.w});
      });
}

}  // namespace detail

/// Makes the enclosing balls of all groups, centre and radius. A group may have as many particles
/// as four warps have lanes, and three if neighbours count.
///
/// \param balls [group_count] result, in device memory
template <class Device>
void make_balls(const Device& device, Ball kind, const GroupsOfTargets& data, Vec4* balls) {
  constexpr std::uint32_t width = Device::Warp::width;
  const std::uint32_t registers =
      (data.group_size + width - 1) / width + (data.neighbours > 0 ? 1 : 0);
  if (registers == 1) {
    detail::make_balls_with<1>(device, kind, data, balls);
  } else if (registers == 2) {
    detail::make_balls_with<2>(device, kind, data, balls);
  } else {
    detail::make_balls_with<4>(device, kind, data, balls);
  }
}

}  // namespace gothic
