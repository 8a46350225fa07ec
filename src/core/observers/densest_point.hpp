#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "core/device/arrays.hpp"
#include "core/device/combine.hpp"
#include "core/device/scrambled.hpp"
#include "core/messages/communicator.hpp"

namespace gothic {

using Point = std::array<double, 3>;

namespace detail {

/// A sphere, all of space at first.
struct Ball {
  Point center{};
  double radius2 = std::numeric_limits<double>::infinity();

  GOTHIC_HD double from_center2(const Vec4& r) const {
    const double x = r.x - center[0], y = r.y - center[1], z = r.z - center[2];
    return x * x + y * y + z * z;
  }
  GOTHIC_HD bool holds(const Vec4& r) const { return !(from_center2(r) > radius2); }
};

/// The bodies in a sphere.
struct Inside {
  std::uint32_t count = 0;
  double farthest2 = 0;          ///< largest squared distance from the sphere's centre
  double mass = 0, sum[3] = {};  ///< sums of m and of m r

  GOTHIC_HD static Inside of(const Vec4& body, double distance2) {
    const double m = body.w;
    return {1, distance2, m, {m * body.x, m * body.y, m * body.z}};
  }
  GOTHIC_HD friend Inside operator+(const Inside& a, const Inside& b) {
    return {a.count + b.count,
            a.farthest2 > b.farthest2 ? a.farthest2 : b.farthest2,
            a.mass + b.mass,
            {a.sum[0] + b.sum[0], a.sum[1] + b.sum[1], a.sum[2] + b.sum[2]}};
  }
  Point center_of_mass() const { return {sum[0] / mass, sum[1] / mass, sum[2] / mass}; }
};

/// The bodies of all ranks in a sphere.
/// \param n bodies of the own rank
/// \param body takes an index and returns a position and a mass, on the device
template <class Device, class Of>
Inside inside(const Device& device, Communicator& ranks, std::size_t n, Of body, const Ball& ball) {
  return reduce_all(
      device, ranks, n, Inside{},
      [=] GOTHIC_DEVICE(std::size_t i) {
        const Vec4 r = body(i);
        return ball.holds(r) ? Inside::of(r, ball.from_center2(r)) : Inside{};
      },
      Sum{});
}

/// A sphere about the centre of mass of the bodies in it. It has shrunk until few are left.
/// \param body [n] positions and masses of the own rank's bodies
/// \param few number of bodies at which it ends, or below
template <class Device>
Ball shrunk(const Device& device, Communicator& ranks, std::size_t n, const Vec4* body,
            std::uint32_t few) {
  constexpr double shrink = 0.8 * 0.8;
  Ball ball;
  for (;;) {
    const Inside now = inside(
        device, ranks, n, [=] GOTHIC_DEVICE(std::size_t i) { return body[i]; }, ball);
    if (now.count == 0) return ball;
    ball.center = now.center_of_mass();
    const double smaller = shrink * std::min(ball.radius2, now.farthest2);
    if (now.count <= few || !(smaller < ball.radius2)) return ball;
    ball.radius2 = smaller;
  }
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
  constexpr std::uint32_t many = 1U << 17, few = 64, share = 1000;
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
  const auto weighed = [=] GOTHIC_DEVICE(std::size_t i) {
    const Vec4 r = position[i];
    return Vec4{r.x, r.y, r.z, alike ? 1.0F : r.w};
  };
  typename Device::template Buffer<Vec4> some(places.size());
  const std::uint32_t* const place = places.data();
  Vec4* const body = some.data();
  device.for_each(some.size(), [=] GOTHIC_DEVICE(std::size_t k) { body[k] = weighed(place[k]); });
  const std::uint32_t all = combined(ranks, std::uint32_t(some.size()), std::plus<>());
  const detail::Ball ball =
      detail::shrunk(device, ranks, some.size(), body, std::max(few, all / share));
  const detail::Inside within = detail::inside(device, ranks, n, weighed, ball);
  return within.mass == 0 ? ball.center : within.center_of_mass();
}

}  // namespace gothic
