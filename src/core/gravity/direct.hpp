#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/device/device.hpp"
#include "core/gravity/pair.hpp"
#include "core/tree/tree.hpp"

/// Direct summation: the reference of every accuracy and the rate that every speed is a ratio to.
namespace gothic {

/// Acceleration and potential in double precision.
struct Force {
  double x = 0, y = 0, z = 0, potential = 0;
};

/// Targets of a sum: places in arrays of positions and masses, and of shares in the softening. They
/// may be no sources; then their masses are to be 0.
struct SumTargets {
  const Vec4* position;
  const float* shares;          ///< null if all have the same length
  const std::uint32_t* places;  ///< [count]
  std::uint32_t count;
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

/// What one warp sums: some sources on some targets.
struct SumTask {
  Range sources;
  std::uint32_t first;  ///< of the targets
  int count;            ///< of targets
  bool with_own;        ///< whether it takes out the potentials of the targets themselves
};

/// Sums of m g^3 R and -m g of one warp in single precision; the sums of tiles are added up in
/// single precision, too.
/// \param sums [task.count] result
template <Root root, class Warp, int K, Lengths lengths>
GOTHIC_HD void direct_single(DirectScratch<Warp, lengths>& scratch, const Vec4* position,
                             const float* shares, const SumTargets& targets, const SumTask& task,
                             float softening, Vec4* sums) {
  Targets<Warp, K> own;
  PairSoftening<Warp, K, lengths> eps2;
  if constexpr (lengths == Lengths::equal) eps2.square = softening * softening;
  Sums<Warp, K> found;
  typename Warp::Float mass[K];
  typename Warp::Index index[K];
  for (int k = 0; k < K; ++k) {
    const int rest = task.count - k * Warp::width;
    index[k] =
        rest > 0 ? Warp::load(targets.places + task.first + k * Warp::width, rest) : index[0];
    const auto p = Warp::gather(targets.position, index[k]);
    own.x[k] = p.x;
    own.y[k] = p.y;
    own.z[k] = p.z;
    mass[k] = task.with_own ? p.w : typename Warp::Float(0);
    if constexpr (lengths == Lengths::own) eps2.share[k] = Warp::gather(targets.shares, index[k]);
  }
  constexpr std::uint32_t tile = DirectScratch<Warp, lengths>::tile;
  const std::uint32_t end = task.sources.first + task.sources.count;
  for (std::uint32_t begin = task.sources.first; begin < end; begin += tile) {
    const std::uint32_t size = end - begin < tile ? end - begin : tile;
    Warp::copy(scratch.sources, position + begin, size);
    if constexpr (lengths == Lengths::own) Warp::copy(scratch.shares, shares + begin, size);
    interact<root, Order::point, 1, 8>(own, SourceList{scratch.sources, 0, scratch.shares}, size,
                                       eps2, found);
  }
  for (int k = 0; k < K; ++k) {
    const int rest = task.count - k * Warp::width;
    if (rest <= 0) break;
    typename Warp::Float own_square = softening * softening;
    if constexpr (lengths == Lengths::own) own_square = 2 * eps2.share[k];
    Warp::scatter(sums, Warp::sequence(std::uint32_t(k * Warp::width)),
                  rest < Warp::width ? rest : Warp::width,
                  {found.x[k], found.y[k], found.z[k],
                   mass[k] * own_inverse<root, Warp>(own_square) - found.potential[k]});
  }
}

/// The same in double precision throughout.
template <class Warp, int K, Lengths lengths>
GOTHIC_HD void direct_double(const Vec4* position, const float* shares, const SumTargets& targets,
                             const SumTask& task, double softening, Force* sums) {
  using Double = typename Warp::Double;
  constexpr int width = Warp::double_width;
  Double tx[K], ty[K], tz[K], mass[K], share[K], ax[K], ay[K], az[K], potential[K];
  for (int k = 0; k < K; ++k) {
    const auto place = [=](int lane) {
      const int i = k * width + lane;
      return targets.places[task.first + std::uint32_t(i < task.count ? i : task.count - 1)];
    };
    const auto own = [=](int lane) { return targets.position[place(lane)]; };
    tx[k] = Warp::make_double([=](int lane) { return double(own(lane).x); });
    ty[k] = Warp::make_double([=](int lane) { return double(own(lane).y); });
    tz[k] = Warp::make_double([=](int lane) { return double(own(lane).z); });
    mass[k] = Warp::make_double([=](int lane) { return task.with_own ? double(own(lane).w) : 0; });
    if constexpr (lengths == Lengths::own) {
      share[k] = Warp::make_double([=](int lane) { return double(targets.shares[place(lane)]); });
    }
    ax[k] = ay[k] = az[k] = potential[k] = 0.0;
  }
  const double softening2 = softening * softening;
  const std::uint32_t end = task.sources.first + task.sources.count;
  for (std::uint32_t j = task.sources.first; j < end; ++j) {
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
    const int rest = task.count - k * width;
    if (rest <= 0) break;
    Double own = mass[k] / softening;
    if constexpr (lengths == Lengths::own) own = mass[k] * Warp::rsqrt(2.0 * share[k]);
    Warp::store(sums + k * width, rest < width ? rest : width, ax[k], ay[k], az[k],
                own - potential[k]);
  }
}

/// Into how many parts the sources are divided: few targets alone would not fill a device. The
/// number does not depend on the device, so that sums do not either.
inline std::uint32_t parts_of_sources(std::uint32_t n, std::uint32_t blocks) {
  constexpr std::uint32_t enough_tasks = 16384, most = 128, fewest_sources = 1024;
  return std::max(1U, std::min({enough_tasks / blocks, most, n / fewest_sources}));
}

/// Shares the targets and the sources out to warps, and adds up in double precision.
/// \param block targets of a warp
/// \param sum writes the sums that a task asks for
template <class Scratch, class Sum, class Out, DeviceType Device, class Function>
void sum_in_parts(const Device& device, std::uint32_t n, std::uint32_t count, std::uint32_t block,
                  double gravity, Out* out, Function sum) {
  if (count == 0) return;
  const std::uint32_t blocks = (count + block - 1) / block, parts = parts_of_sources(n, blocks);
  const std::uint32_t part = (n + parts - 1) / parts;
  typename Device::template Buffer<Sum> buffer(std::size_t(parts) * count);
  Sum* const sums = buffer.data();
  device.template for_each_warp<Scratch>(
      std::size_t(blocks) * parts, [=] GOTHIC_DEVICE(Scratch & scratch, std::size_t number) {
        const auto own_part = std::uint32_t(number / blocks);
        const std::uint32_t first = std::uint32_t(number % blocks) * block,
                            source = own_part * part < n ? own_part * part : n,
                            rest = count - first, left = n - source;
        sum(scratch,
            SumTask{.sources = {source, left < part ? left : part},
                    .first = first,
                    .count = int(rest < block ? rest : block),
                    .with_own = own_part == 0},
            sums + std::size_t(own_part) * count + first);
      });
  device.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) {
    double x = 0, y = 0, z = 0, w = 0;
    for (std::uint32_t own_part = 0; own_part < parts; ++own_part) {
      const auto [px, py, pz, pw] = sums[std::size_t(own_part) * count + k];
      x += px;
      y += py;
      z += pz;
      w += pw;
    }
    using Real = decltype(out->x);
    out[k] = {Real(gravity * x), Real(gravity * y), Real(gravity * z), Real(gravity * w)};
  });
}

/// Calls `f.operator()<lengths>()`, with lengths of their own unless `shares` is null.
template <class F>
void with_lengths(const float* shares, const F& f) {
  if (shares != nullptr) {
    f.template operator()<Lengths::own>();
  } else {
    f.template operator()<Lengths::equal>();
  }
}

template <Root root, Lengths lengths, DeviceType Device, class Out>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const SumTargets& targets, double gravity, double softening, Out* out) {
  using Warp = typename Device::Warp;
  using Scratch = DirectScratch<Warp, lengths>;
  constexpr int per_lane = Device::Defaults::direct_per_lane;
  const auto sum = [=] GOTHIC_DEVICE(Scratch & scratch, const SumTask& task, Vec4* sums) {
    direct_single<root, Warp, per_lane>(scratch, position, shares, targets, task, float(softening),
                                        sums);
  };
  sum_in_parts<Scratch, Vec4>(device, n, targets.count, per_lane * Warp::width, gravity, out, sum);
}

template <Lengths lengths, DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const SumTargets& targets, double gravity, double softening, Force* out) {
  using Warp = typename Device::Warp;
  const auto sum = [=] GOTHIC_DEVICE(NoScratch&, const SumTask& task, Force* sums) {
    direct_double<Warp, 2, lengths>(position, shares, targets, task, softening, sums);
  };
  sum_in_parts<NoScratch, Force>(device, n, targets.count, 2 * Warp::double_width, gravity, out,
                                 sum);
}

}  // namespace detail

/// Forces of all particles on the targets, of which pairs are summed in single precision. out[k]
/// belongs to targets.places[k]: the acceleration, and the potential without the particle's own
/// contribution.
/// \param position of the n sources: positions and masses
/// \param shares of each in the softening; null if all have the length `softening`
/// \tparam Out Vec4 or Force
template <Root root, DeviceType Device, class Out>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const SumTargets& targets, double gravity, double softening, Out* out) {
  detail::with_lengths(shares, [&]<Lengths lengths>() {
    detail::direct_forces<root, lengths>(device, position, shares, n, targets, gravity, softening,
                                         out);
  });
}

/// The same in double precision, for references.
template <DeviceType Device>
void direct_forces(const Device& device, const Vec4* position, const float* shares, std::uint32_t n,
                   const SumTargets& targets, double gravity, double softening, Force* out) {
  detail::with_lengths(shares, [&]<Lengths lengths>() {
    detail::direct_forces<lengths>(device, position, shares, n, targets, gravity, softening, out);
  });
}

}  // namespace gothic
