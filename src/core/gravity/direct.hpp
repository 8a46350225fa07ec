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
template <class Warp, Lengths lengths>
struct DirectScratch {
  static constexpr int registers = 128;
  static constexpr std::uint32_t tile = 256;
  Vec4 sources[tile];
  float shares[lengths == Lengths::own ? tile : 1];
};

struct NoScratch {
  static constexpr int registers = 128;
};

/// Pairs of one warp in single precision; the sums of tiles are added up in single precision too.
template <Root root, class Warp, int K, Lengths lengths>
GOTHIC_HD void direct_single(DirectScratch<Warp, lengths>& scratch, const Vec4* position,
                             const float* shares, std::uint32_t n, const std::uint32_t* targets,
                             int count, float gravity, float softening, Vec4* out) {
  Targets<Warp, K> own;
  PairSoftening<Warp, K, lengths> eps2;
  if constexpr (lengths == Lengths::equal) eps2.square = softening * softening;
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
    if constexpr (lengths == Lengths::own) eps2.share[k] = Warp::gather(shares, index[k]);
  }
  constexpr std::uint32_t tile = DirectScratch<Warp, lengths>::tile;
  for (std::uint32_t begin = 0; begin < n; begin += tile) {
    const std::uint32_t size = n - begin < tile ? n - begin : tile;
    Warp::copy(scratch.sources, position + begin, size);
    if constexpr (lengths == Lengths::own) Warp::copy(scratch.shares, shares + begin, size);
    interact<root, Order::point, 1, 8>(own, SourceList{scratch.sources, 0, scratch.shares}, size,
                                       eps2, sums);
  }
  for (int k = 0; k < K; ++k) {
    const int rest = count - k * Warp::width;
    if (rest <= 0) break;
    typename Warp::Float own_square = softening * softening;
    if constexpr (lengths == Lengths::own) own_square = 2 * eps2.share[k];
    Warp::scatter(out, Warp::sequence(std::uint32_t(k * Warp::width)),
                  rest < Warp::width ? rest : Warp::width,
                  {gravity * sums.x[k], gravity * sums.y[k], gravity * sums.z[k],
                   gravity * (mass[k] * own_inverse<root, Warp>(own_square) - sums.potential[k])});
  }
}

/// Pairs of one warp in double precision throughout.
template <class Warp, int K, Lengths lengths>
GOTHIC_HD void direct_double(const Vec4* position, const float* shares, std::uint32_t n,
                             const std::uint32_t* targets, int count, double gravity,
                             double softening, Force* out) {
  using Double = typename Warp::Double;
  constexpr int width = Warp::double_width;
  Double tx[K], ty[K], tz[K], mass[K], share[K], ax[K], ay[K], az[K], potential[K];
  for (int k = 0; k < K; ++k) {
    const auto target = [=](int lane) {
      const int i = k * width + lane;
      return targets[i < count ? i : count - 1];
    };
    const auto own = [=](int lane) { return position[target(lane)]; };
    tx[k] = Warp::make_double([=](int lane) { return double(own(lane).x); });
    ty[k] = Warp::make_double([=](int lane) { return double(own(lane).y); });
    tz[k] = Warp::make_double([=](int lane) { return double(own(lane).z); });
    mass[k] = Warp::make_double([=](int lane) { return double(own(lane).w); });
    if constexpr (lengths == Lengths::own) {
      share[k] = Warp::make_double([=](int lane) { return double(shares[target(lane)]); });
    }
    ax[k] = ay[k] = az[k] = potential[k] = 0.0;
  }
  const double softening2 = softening * softening;
  for (std::uint32_t j = 0; j < n; ++j) {
    const double sx = position[j].x, sy = position[j].y, sz = position[j].z, sm = position[j].w;
    for (int k = 0; k < K; ++k) {
      const Double dx = sx - tx[k], dy = sy - ty[k], dz = sz - tz[k];
      Double pair_eps2 = softening2;
      if constexpr (lengths == Lengths::own) pair_eps2 = share[k] + double(shares[j]);
      const Double inverse = Warp::rsqrt(dx * dx + (dy * dy + (dz * dz + pair_eps2)));
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
    Double own = mass[k] / softening;
    if constexpr (lengths == Lengths::own) own = mass[k] * Warp::rsqrt(2.0 * share[k]);
    Warp::store(out + k * width, rest < width ? rest : width, gravity * ax[k], gravity * ay[k],
                gravity * az[k], gravity * (own - potential[k]));
  }
}

/// Calls f.operator()<lengths>(), with lengths of their own unless `shares` is null.
template <class F>
void with_lengths(const float* shares, const F& f) {
  if (shares != nullptr) {
    f.template operator()<Lengths::own>();
  } else {
    f.template operator()<Lengths::equal>();
  }
}

template <Root root, Lengths lengths, DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const std::uint32_t* targets, std::uint32_t count, double gravity,
                   double softening, Vec4* out) {
  using Warp = typename Device::Warp;
  using Scratch = DirectScratch<Warp, lengths>;
  constexpr int per_lane = Device::Defaults::direct_per_lane;
  constexpr std::uint32_t block = per_lane * Warp::width;
  device.template for_each_warp<Scratch>(
      (count + block - 1) / block, [=] GOTHIC_HD(Scratch & scratch, std::size_t task) {
        const auto begin = std::uint32_t(task * block);
        const std::uint32_t rest = count - begin;
        direct_single<root, Warp, per_lane>(scratch, position, shares, n, targets + begin,
                                            int(rest < block ? rest : block), float(gravity),
                                            float(softening), out + begin);
      });
}

template <Lengths lengths, DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const std::uint32_t* targets, std::uint32_t count, double gravity,
                   double softening, Force* out) {
  using Warp = typename Device::Warp;
  constexpr std::uint32_t block = 2 * Warp::double_width;
  device.template for_each_warp<NoScratch>(
      (count + block - 1) / block, [=] GOTHIC_HD(NoScratch&, std::size_t task) {
        const auto begin = std::uint32_t(task * block);
        const std::uint32_t rest = count - begin;
        direct_double<Warp, 2, lengths>(position, shares, n, targets + begin,
                                        int(rest < block ? rest : block), gravity, softening,
                                        out + begin);
      });
}

}  // namespace detail

/// Forces of all particles on the targets, in single precision. out[k] belongs to targets[k]: the
/// acceleration, and the potential without the particle's own contribution.
/// \param position of the n sources, which come first, and of the targets: positions and masses
/// \param shares of each in the softening; null if all have the length `softening`
template <Root root, DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const std::uint32_t* targets, std::uint32_t count, double gravity,
                   double softening, Vec4* out) {
  detail::with_lengths(shares, [&]<Lengths lengths>() {
    detail::direct_forces<root, lengths>(device, position, shares, n, targets, count, gravity,
                                         softening, out);
  });
}

/// The same in double precision, for references.
template <DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const std::uint32_t* targets, std::uint32_t count, double gravity,
                   double softening, Force* out) {
  detail::with_lengths(shares, [&]<Lengths lengths>() {
    detail::direct_forces<lengths>(device, position, shares, n, targets, count, gravity, softening,
                                   out);
  });
}

}  // namespace gothic
