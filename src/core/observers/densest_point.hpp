#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/combine.hpp"
#include "core/messages/exchange.hpp"
#include "core/observers/scrambled.hpp"

namespace gothic {

using Point = std::array<double, 3>;

namespace detail {

/// A particle that counts where the system is densest.
struct Body {
  Vec4 position;  ///< and what it weighs
  std::uint32_t slot;
};

/// A sphere, all of space at first.
struct Ball {
  double center[3];
  double radius2 = std::numeric_limits<double>::infinity();

  GOTHIC_HD double from_center2(const Vec4& r) const {
    const double x = r.x - center[0], y = r.y - center[1], z = r.z - center[2];
    return x * x + y * y + z * z;
  }
  GOTHIC_HD bool holds(const Vec4& r) const { return !(from_center2(r) > radius2); }
};

/// The sums that make a centre of mass.
struct Moments {
  double mass = 0, sum[3] = {};

  GOTHIC_HD static Moments of(const Vec4& r, double mass) {
    return {mass, {mass * r.x, mass * r.y, mass * r.z}};
  }
  GOTHIC_HD friend Moments operator+(const Moments& a, const Moments& b) {
    return {a.mass + b.mass, {a.sum[0] + b.sum[0], a.sum[1] + b.sum[1], a.sum[2] + b.sum[2]}};
  }
};

/// Shrinks a sphere about the centre of mass of the bodies in it until few are left.
inline Ball shrunk(std::vector<Body> inside) {
  constexpr double shrink = 0.8 * 0.8, least_share = 0.001;
  constexpr std::size_t least_count = 64;
  const auto least = std::max(least_count, std::size_t(least_share * double(inside.size())));
  Ball ball{};
  const auto center = [&] {
    Moments moments;
    for (const Body& body : inside) moments = moments + Moments::of(body.position, body.position.w);
    for (int axis = 0; axis < 3; ++axis) ball.center[axis] = moments.sum[axis] / moments.mass;
  };
  center();
  while (inside.size() > least) {
    double largest2 = 0;
    for (const Body& body : inside) largest2 = std::max(largest2, ball.from_center2(body.position));
    if (!(largest2 > 0)) break;
    ball.radius2 = shrink * std::min(ball.radius2, largest2);
    std::erase_if(inside, [&](const Body& body) { return !ball.holds(body.position); });
    if (inside.empty()) break;
    center();
  }
  return ball;
}

}  // namespace detail

/// Where the system is densest: the centre of mass within a sphere that shrinks about it until few
/// particles are left (Power et al. 2003). Some of many particles tell where the sphere ends.
/// Particles without mass do not count unless none has any.
/// \param ranks that have the particles together
/// \param n particles of the own rank
/// \param position [n] with masses, \param slot [n] place in the input of all ranks
template <class Device>
Point densest_point(const Device& device, Communicator& ranks, std::size_t n, const Vec4* position,
                    const std::uint32_t* slot) {
  constexpr std::uint32_t many = 1U << 17;
  const auto has_mass = [=] GOTHIC_DEVICE(std::uint32_t i) { return position[i].w > 0; };
  const std::uint32_t massive = combined(ranks, count_chosen(device, n, has_mass), std::plus<>());
  const bool alike = massive == 0;
  const std::uint32_t bodies = alike ? combined(ranks, std::uint32_t(n), std::plus<>()) : massive;
  const std::uint64_t below = UINT64_MAX / (1 + (bodies - 1) / many);
  typename Device::template Buffer<std::uint32_t> places;
  list_chosen(
      device, n,
      [=] GOTHIC_DEVICE(std::uint32_t i) {
        return (alike || position[i].w > 0) && scrambled(slot[i]) <= below;
      },
      places);
  const auto own_positions = downloaded_from(device, position, places.data(), places.size());
  const auto own_slots = downloaded_from(device, slot, places.data(), places.size());
  std::vector<detail::Body> some;
  for (std::size_t k = 0; k < own_slots.size(); ++k) {
    some.push_back({own_positions[k], own_slots[k]});
    if (alike) some.back().position.w = 1;
  }
  some = joined(ranks, std::move(some));
  std::ranges::sort(some, {}, &detail::Body::slot);
  const detail::Ball ball = detail::shrunk(std::move(some));
  const detail::Moments within = reduce_all(
      device, ranks, n, detail::Moments{},
      [=] GOTHIC_DEVICE(std::size_t i) {
        const Vec4 r = position[i];
        return ball.holds(r) ? detail::Moments::of(r, alike ? 1.0 : double(r.w))
                             : detail::Moments{};
      },
      Sum{});
  if (within.mass == 0) return {ball.center[0], ball.center[1], ball.center[2]};
  return {within.sum[0] / within.mass, within.sum[1] / within.mass, within.sum[2] / within.mass};
}

}  // namespace gothic
