#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/vec4.hpp"
#include "core/gravity/acceptance.hpp"

namespace gothic {

/// How the reciprocal square root of a pair is found.
enum class Root {
  newton,   ///< to single precision
  estimate  ///< the hardware's estimate, its mean error taken out: see Warp::root_error
};

/// Positions of K particles per lane.
template <class Warp, int K>
struct Targets {
  typename Warp::Float x[K], y[K], z[K];
};

/// Sums over sources, K targets per lane: sum m_j (r_j - r_i) / s^3 and sum m_j / s with
/// s^2 = |r_j - r_i|^2 + eps^2, so that the acceleration is G times the former and the potential
/// -G times the latter.
template <class Warp, int K>
struct Sums {
  typename Warp::Float x[K], y[K], z[K], potential[K];

  GOTHIC_HD Sums() {
    for (int k = 0; k < K; ++k) x[k] = y[k] = z[k] = potential[k] = 0;
  }

  GOTHIC_HD void add(const Sums& other) {
    for (int k = 0; k < K; ++k) {
      potential[k] += other.potential[k];
      x[k] += other.x[k];
      y[k] += other.y[k];
      z[k] += other.z[k];
    }
  }
};

/// 1 / sqrt(s2) as it is computed for a pair: without its constant factor.
template <Root root, class Warp>
GOTHIC_HD inline typename Warp::Float scaled_root(const typename Warp::Float& s2) {
  if constexpr (root == Root::newton) {
    return Warp::scaled_rsqrt(s2);
  } else {
    return Warp::rsqrt_estimate(s2);
  }
}

/// Factor that turns the sum of the p-th powers (1 or 3) of scaled roots into that of 1 / s^p.
template <Root root, class Warp>
GOTHIC_HD inline float root_factor(int power) {
  if constexpr (root == Root::newton) {
    constexpr float scale = Warp::rsqrt_scale;
    return power == 1 ? 1 / scale : 1 / (scale * scale * scale);
  } else {
    return 1 / Warp::mean_estimate(power);
  }
}

/// 1 / s of a particle with itself, s = eps, exactly as `interact` sums it.
template <Root root, class Warp>
GOTHIC_HD inline typename Warp::Float own_inverse(float softening2) {
  return root_factor<root, Warp>(1) * scaled_root<root, Warp>(softening2);
}

/// Records of a source: of a point its position and mass; of a cell r_J and m_J, and
///  * with a quadrupole E_xx, E_yy, E_zz and c, then E_xy, E_xz, E_yz. E = 3 Q - tr Q is 3 times
///    the traceless part of its second moments Q, and c = eps^2 tr Q;
///  * with an octupole also the nine F_... of octupole_record and the vector C. F is 7.5 times the
///    traceless part of its third moments S, and C_i = 1.5 eps^2 sum S_ijj.
template <Order order>
constexpr int source_records = order == Order::point        ? 1
                               : order == Order::quadrupole ? 3
                                                            : 6;

/// Record 1 or 2 of a cell with a quadrupole or an octupole.
GOTHIC_HD inline Vec4 quadrupole_record(const SecondMoments& q, float softening2, int record) {
  if (record == 2) return {3 * q.xy, 3 * q.xz, 3 * q.yz, 0};
  const float trace = q.trace();
  return {3 * q.xx - trace, 3 * q.yy - trace, 3 * q.zz - trace, softening2 * trace};
}

/// Record 3, 4 or 5 of a cell with an octupole: F_xxx, F_xyy, F_xxy, F_xxz, then F_xyz, F_yyy,
/// F_yyz, C_x, then F_xzz, F_yzz, C_y, C_z.
GOTHIC_HD inline Vec4 octupole_record(const ThirdMoments& s, float softening2, int record) {
  const float x = 1.5F * (s.xxx + s.xyy + s.xzz), y = 1.5F * (s.xxy + s.yyy + s.yzz),
              z = 1.5F * (s.xxz + s.yyz + s.zzz);
  if (record == 3) {
    return {7.5F * s.xxx - 3 * x, 7.5F * s.xyy - x, 7.5F * s.xxy - y, 7.5F * s.xxz - z};
  }
  if (record == 4) return {7.5F * s.xyz, 7.5F * s.yyy - 3 * y, 7.5F * s.yyz - z, softening2 * x};
  return {7.5F * s.xzz - x, 7.5F * s.yzz - y, softening2 * y, softening2 * z};
}

/// Sources: their first records, then from `stride` on the second ones, ...
template <class Warp, Order order, int sharing>
struct SourceRounds {
  using Rounds = typename Warp::template Rounds<sharing>;
  Rounds first, second, third, fourth, fifth, sixth;

  GOTHIC_HD SourceRounds(const Vec4* records, std::uint32_t stride)
      : first(records),
        second(records + stride),
        third(records + 2 * stride),
        fourth(records + 3 * stride),
        fifth(records + 4 * stride),
        sixth(records + 5 * stride) {}
};

/// Adds the pull of sources with Plummer softening (Miki & Umemura 2017, equation 1): in each of n
/// rounds the lanes take the next `sharing` sources, part by part, and each lets its own act on all
/// its targets.
///
/// A quadrupole is the expansion of the softened potential of a cell to second order in its extent.
/// With g = 1 / s, R from the target to the cell, E and c as above, and u = R E R - c:
///   acceleration R [m g^3 + 5/2 u g^7] - g^5 E R,  potential -[m g + u g^5 / 2].
/// The softened potential is not harmonic. So even a round cell does not act as a point: c remains.
/// An octupole is the expansion to third order. With V = F R R - C and U = R V - 2 C R it adds
///   acceleration g^7 V - 7/3 g^9 U R,  potential U g^7 / 3.
///
/// The sources of a call are summed among themselves first, which keeps the rounding error of long
/// sums small. The reciprocal square root comes without its constant factor, which is put right
/// once at the end.
///
/// \param stride between the records of a source
/// \param softening2 square of the softening length, positive: it keeps a particle's force on
///        itself finite, and so zero.
/// \tparam unroll sources whose code the GPU's compiler writes side by side
template <Root root, Order order = Order::point, int sharing = 1,
          int unroll = order == Order::point        ? 4
                       : order == Order::quadrupole ? 2
                                                    : 1,
          class Warp, int K>
GOTHIC_HD inline void interact(const Targets<Warp, K>& targets, const Vec4* sources,
                               std::uint32_t stride, std::uint32_t n, float softening2,
                               Sums<Warp, K>& sums) {
  using Float = typename Warp::Float;
  constexpr int chains = K < Warp::least_chains ? Warp::least_chains / K : 1;
  const Targets<Warp, K> own = targets;
  const SourceRounds<Warp, order, sharing> rounds(sources, stride);
  Sums<Warp, K> part, other_parts[chains > 1 ? chains - 1 : 1];
  const float factor = root_factor<root, Warp>(1), factor3 = root_factor<root, Warp>(3);
  const float factor2 = factor * factor;
  const auto add = [&](std::uint32_t round, Sums<Warp, K>& to) {
    const auto source = rounds.first[round];
    for (int k = 0; k < K; ++k) {
      const Float dx = source.x - own.x[k];
      const Float dy = source.y - own.y[k];
      const Float dz = source.z - own.z[k];
      const Float s2 = dx * dx + (dy * dy + (dz * dz + softening2));
      const Float inverse = scaled_root<root, Warp>(s2);
      const Float inverse2 = inverse * inverse;
      Float weight;
      if constexpr (order == Order::point) {
        const Float potential = source.w * inverse;
        weight = potential * inverse2;
        to.potential[k] += potential;
      } else {
        const auto diagonal = rounds.second[round], mixed = rounds.third[round];
        Float g2 = inverse2;
        if constexpr (root == Root::newton && Warp::rsqrt_scale != 1) g2 *= factor2;
        const Float qx = diagonal.x * dx + (mixed.x * dy + mixed.y * dz);
        const Float qy = mixed.x * dx + (diagonal.y * dy + mixed.z * dz);
        const Float qz = mixed.y * dx + (mixed.z * dy + diagonal.z * dz);
        const Float u = dx * qx + (dy * qy + (dz * qz - diagonal.w));
        const Float f = (g2 * g2) * u;
        const Float inverse3 = inverse * inverse2, inverse5 = inverse3 * g2;
        Float pull = 2.5F * f, potential = 0.5F * f, ex = -qx, ey = -qy, ez = -qz;
        if constexpr (order == Order::octupole) {
          const auto a = rounds.fourth[round], b = rounds.fifth[round], c = rounds.sixth[round];
          const Float zz = dz * dz, xx = dx * dx - zz, yy = dy * dy - zz;
          const Float dx2 = dx + dx, xy = dx2 * dy, xz = dx2 * dz, yz = (dy + dy) * dz;
          const Float vx = a.x * xx + (a.y * yy + (a.z * xy + (a.w * xz + (b.x * yz - b.w))));
          const Float vy = a.z * xx + (b.y * yy + (a.y * xy + (b.x * xz + (b.z * yz - c.z))));
          const Float vz = a.w * xx + (b.z * yy + (b.x * xy + (c.x * xz + (c.y * yz - c.w))));
          const Float v = dx * (vx - 2 * b.w) + (dy * (vy - 2 * c.z) + dz * (vz - 2 * c.w));
          const Float h = ((g2 * g2) * g2) * v;
          pull = 2.5F * f - (7.0F / 3) * h;
          potential = 0.5F * f - (1.0F / 3) * h;
          ex = g2 * vx - qx;
          ey = g2 * vy - qy;
          ez = g2 * vz - qz;
        }
        weight = inverse3 * (source.w + pull);
        to.potential[k] += inverse * (source.w + potential);
        to.x[k] += inverse5 * ex;
        to.y[k] += inverse5 * ey;
        to.z[k] += inverse5 * ez;
      }
      to.x[k] += weight * dx;
      to.y[k] += weight * dy;
      to.z[k] += weight * dz;
    }
  };
  std::uint32_t j = 0;
  if constexpr (chains > 1) {
    for (; j + chains <= n; j += chains) {
      add(j, part);
      for (int c = 1; c < chains; ++c) add(j + c, other_parts[c - 1]);
    }
    for (const Sums<Warp, K>& other : other_parts) part.add(other);
  }
#ifdef __CUDACC__
#pragma unroll unroll
#endif
  for (; j < n; ++j) add(j, part);
  for (int k = 0; k < K; ++k) {
    sums.potential[k] += factor * part.potential[k];
    sums.x[k] += factor3 * part.x[k];
    sums.y[k] += factor3 * part.y[k];
    sums.z[k] += factor3 * part.z[k];
  }
}

}  // namespace gothic
