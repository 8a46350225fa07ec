#pragma once

#include <cstdint>
#include <stdexcept>

#include "core/device/device.hpp"
#include "core/gravity/variation.hpp"
#include "paper/enclosing_ball.hpp"

namespace gothic {

namespace detail {

struct BallScratch {
  static constexpr int registers = 128;
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
  const Range near = data.neighbours.around(targets[0]);
  const int own = registers_for<Warp>(data.group_size);
  for (int k = 0; k < K; ++k) {
    const int of_near = int(near.count) - (k - own) * Warp::width;
    if (k >= own && of_near > 0) {
      const int n = of_near < Warp::width ? of_near : Warp::width;
      put(k, Warp::load(data.position + near.first + (k - own) * Warp::width, n), n);
    } else {
      const int n = int(group.count) - k * Warp::width;
      const auto index = n > 0 ? Warp::load(targets + k * Warp::width, n) : Warp::load(targets, 1);
      put(k, Warp::gather(data.position, index), n);
    }
  }
  return BallMaker<Warp, K>(at, mass).make(kind);
}

template <int K, class Device>
void make_balls_with(const Device& device, Ball kind, const GroupsOfTargets& data, Vec4* balls) {
  using Warp = typename Device::Warp;
  device.template for_each_warp<BallScratch>(
      std::size_t(data.group_count), [=] GOTHIC_DEVICE(BallScratch&, std::size_t i) {
        const Vec4 ball = ball_of<K, Warp>(kind, data, data.groups[i]);
        Warp::scatter(balls + i, Warp::sequence(0), 1, {ball.x, ball.y, ball.z, ball.w});
      });
}

}  // namespace detail

/// Makes the enclosing balls of all groups, centre and radius.
///
/// \param balls [group_count] result, in device memory
/// \throws std::invalid_argument if a group and its neighbours, if they count, do not fit into
///         `most_group_registers`
template <class Device>
void make_balls(const Device& device, Ball kind, const GroupsOfTargets& data, Vec4* balls) {
  using Warp = typename Device::Warp;
  const bool with_neighbours = data.neighbours.particles > 0;
  const int registers = registers_for<Warp>(data.group_size) +
                        (with_neighbours ? registers_for<Warp>(data.neighbours.size) : 0);
  if (registers > most_group_registers) {
    throw std::invalid_argument("a group does not fit into the registers");
  }
  if (registers == 1) {
    detail::make_balls_with<1>(device, kind, data, balls);
  } else if (registers == 2) {
    detail::make_balls_with<2>(device, kind, data, balls);
  } else {
    detail::make_balls_with<most_group_registers>(device, kind, data, balls);
  }
}

}  // namespace gothic
