#pragma once

#include <cmath>
#include <cstdint>

#include "core/device/device.hpp"
#include "core/gravity/pair.hpp"

/// Direct summation: the reference of every accuracy and the rate that every speed is a ratio to.
namespace gothic {

/// Acceleration and potential in double precision.
struct Force {
  double x = 0, y = 0, z = 0, potential = 0;
};

namespace detail {

/// Memory in which a warp keeps the sources that all its targets see.
template <class Warp>
struct DirectScratch {
  static constexpr int registers = 128;
  Vec4 sources[256];
};

struct NoScratch {
  static constexpr int registers = 128;
};

/// Pairs of one warp in single precision; the sums of tiles are added up in single precision too.
template <Root root, class Warp, int K>
GOTHIC_HD void direct_single(DirectScratch<Warp>& scratch, const Vec4* position, std::uint32_t n,
                             const std::uint32_t* targets, int count, float gravity,
                             float softening, Vec4* out) {
  Targets<Warp, K> own;
  Sums<Warp, K> sums;
  typename Warp::Float mass[K];
  typename Warp::Index index[K];
  for (int k = 0; k < K; ++k) {
    const int rest = count - k * Warp::width;
    index[k] = rest > 0 ? Warp::load(targets + k * Warp::width, rest) : index[0];
    const auto p = Warp::gather(position, index[k]);
    own.x[k] = p.x;
    own.y[k] = p.y;
    own.z[k] = p.z;
    mass[k] = p.w;
  }
  constexpr std::uint32_t tile = sizeof(scratch.sources) / sizeof(Vec4);
  for (std::uint32_t begin = 0; begin < n; begin += tile) {
    const std::uint32_t size = n - begin < tile ? n - begin : tile;
    Warp::copy(scratch.sources, position + begin, size);
    interact<root, Order::point, 1, 8>(own, scratch.sources, 0, size, softening * softening, sums);
  }
  for (int k = 0; k < K; ++k) {
    const int rest = count - k * Warp::width;
    if (rest <= 0) break;
    Warp::scatter(
        out, Warp::sequence(std::uint32_t(k * Warp::width)),
        rest < Warp::width ? rest : Warp::width,
        {gravity * sums.x[k], gravity * sums.y[k], gravity * sums.z[k],
         gravity * (mass[k] * own_inverse<root, Warp>(softening * softening) - sums.potential[k])});
  }
}

/// Pairs of one warp in double precision throughout.
template <class Warp, int K>
GOTHIC_HD void direct_double(const Vec4* position, std::uint32_t n, const std::uint32_t* targets,
                             int count, double gravity, double softening, Force* out) {
  using Double = typename Warp::Double;
  constexpr int width = Warp::double_width;
  Double tx[K], ty[K], tz[K], mass[K], ax[K], ay[K], az[K], potential[K];
  for (int k = 0; k < K; ++k) {
    const auto own = [=](int lane) {
      const int i = k * width + lane;
      return position[targets[i < count ? i : count - 1]];
    };
    tx[k] = Warp::make_double([=](int lane) { return double(own(lane).x); });
    ty[k] = Warp::make_double([=](int lane) { return double(own(lane).y); });
    tz[k] = Warp::make_double([=](int lane) { return double(own(lane).z); });
    mass[k] = Warp::make_double([=](int lane) { return double(own(lane).w); });
    ax[k] = ay[k] = az[k] = potential[k] = 0.0;
  }
  const double softening2 = softening * softening;
  for (std::uint32_t j = 0; j < n; ++j) {
    const double sx = position[j].x, sy = position[j].y, sz = position[j].z, sm = position[j].w;
    for (int k = 0; k < K; ++k) {
      const Double dx = sx - tx[k], dy = sy - ty[k], dz = sz - tz[k];
      const Double inverse = Warp::rsqrt(dx * dx + (dy * dy + (dz * dz + softening2)));
      const Double part = sm * inverse, weight = part * (inverse * inverse);
      potential[k] += part;
      ax[k] += weight * dx;
      ay[k] += weight * dy;
      az[k] += weight * dz;
    }
  }
  for (int k = 0; k < K; ++k) {
    const int rest = count - k * width;
    if (rest <= 0) break;
    Warp::store(out + k * width, rest < width ? rest : width, gravity * ax[k], gravity * ay[k],
                gravity * az[k], gravity * (mass[k] / softening - potential[k]));
  }
}

}  // namespace detail

/// Forces of all particles on the targets, in single precision. out[k] belongs to targets[k]: the
/// acceleration, and the potential without the particle's own contribution.
/// \param position [n] positions and masses
template <Root root, DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, std::uint32_t n,
                   const std::uint32_t* targets, std::uint32_t count, double gravity,
                   double softening, Vec4* out) {
  using Warp = typename Device::Warp;
  using Scratch = detail::DirectScratch<Warp>;
  constexpr int per_lane = Device::Defaults::direct_per_lane;
  constexpr std::uint32_t block = per_lane * Warp::width;
  device.template for_each_warp<Scratch>(
      (count + block - 1) / block, [=] GOTHIC_HD(Scratch & scratch, std::size_t task) {
        const auto begin = std::uint32_t(task * block);
        const std::uint32_t rest = count - begin;
        detail::direct_single<root, Warp, per_lane>(scratch, position, n, targets + begin,
                                                    int(rest < block ? rest : block),
                                                    float(gravity), float(softening), out + begin);
      });
}

/// The same in double precision, for references.
template <DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, std::uint32_t n,
                   const std::uint32_t* targets, std::uint32_t count, double gravity,
                   double softening, Force* out) {
  using Warp = typename Device::Warp;
  constexpr std::uint32_t block = 2 * Warp::double_width;
  device.template for_each_warp<detail::NoScratch>(
      (count + block - 1) / block, [=] GOTHIC_HD(detail::NoScratch&, std::size_t task) {
        const auto begin = std::uint32_t(task * block);
        const std::uint32_t rest = count - begin;
        detail::direct_double<Warp, 2>(position, n, targets + begin,
                                       int(rest < block ? rest : block), gravity, softening,
                                       out + begin);
      });
}

}  // namespace gothic
