#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/vec4.hpp"
#include "core/tree/multipole.hpp"

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
/// s^2 = |r_j - r_i|^2 + eps^2, so that the acceleration is G times the first sum and the potential
/// -G times the second sum.
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

/// Factor that turns the sum of the p-th powers (1 or 3) of scaled roots into the sum of 1 / s^p.
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
GOTHIC_HD inline typename Warp::Float own_inverse(const typename Warp::Float& softening2) {
  return root_factor<root, Warp>(1) * scaled_root<root, Warp>(softening2);
}

/// Squared softening lengths of the pairs of K targets per lane.
template <class Warp, int K, Lengths lengths>
struct PairSoftening {
  float square;  ///< of all pairs

  GOTHIC_HD float of_pair(int, float) const { return square; }
};
template <class Warp, int K>
struct PairSoftening<Warp, K, Lengths::own> {
  typename Warp::Float share[K];  ///< of the targets

  GOTHIC_HD auto of_pair(int k, const auto& source_share) const { return share[k] + source_share; }
};

/// Sources in fast memory.
struct SourceList {
  Vec4* records;         ///< the first records of all sources, then the second ones, ...
  std::uint32_t stride;  ///< from one kind of record to the next
  float* shares;         ///< in the softening, of points with lengths of their own; aligned as Vec4
};

/// The sources that the lanes take in a round.
template <class Warp, int sharing, Order order, Lengths lengths>
class SourceRounds {
 public:
  GOTHIC_HD explicit SourceRounds(const SourceList& list) : list_(list) {}

  /// Their records k.
  GOTHIC_HD auto record(int k, std::uint32_t round) const {
    return typename Warp::template Rounds<sharing>(list_.records +
                                                   std::uint32_t(k) * list_.stride)[round];
  }
  /// Their shares in the softening, if lengths are not equal. Cells have theirs in a record.
  GOTHIC_HD auto share(std::uint32_t round) const {
    if constexpr (lengths == Lengths::equal) {
      return 0.0F;
    } else if constexpr (order == Order::point) {
      return typename Warp::template Rounds<sharing, float>(list_.shares)[round];
    } else {
      return record(Multipole<order>::free_record, round).w;
    }
  }
  /// The shares of the points of four rounds, the first of which is a multiple of four.
  GOTHIC_HD const Vec4& four_shares(std::uint32_t round) const {
    return reinterpret_cast<const Vec4*>(list_.shares)[round / 4];
  }

 private:
  SourceList list_;
};

/// Adds the pull of sources with Plummer softening (Miki & Umemura 2017, equation 1): in each of n
/// rounds the lanes take the next `sharing` sources, part by part, and each lane lets its own
/// source act on all its targets.
///
/// With g = 1 / s and R from the target to the source, a mass has the acceleration R m g^3 and the
/// potential -m g. A cell with moments adds to both; see Multipole::expand.
///
/// The sources of a call are summed among themselves first, which keeps the rounding error of long
/// sums small. The reciprocal square root comes without its constant factor, which is put right
/// once at the end.
///
/// \param softening positive: it keeps a particle's force on itself finite, and so zero.
/// \tparam unroll sources whose code the GPU's compiler writes side by side
template <Root root, Order order = Order::point, int sharing = 1,
          int unroll = order == Order::point        ? 4
                       : order == Order::quadrupole ? 2
                                                    : 1,
          class Warp, int K, Lengths lengths>
GOTHIC_HD inline void interact(const Targets<Warp, K>& targets, const SourceList& sources,
                               std::uint32_t n, const PairSoftening<Warp, K, lengths>& softening,
                               Sums<Warp, K>& sums) {
  using Float = typename Warp::Float;
  constexpr int chains = K < Warp::least_chains ? Warp::least_chains / K : 1;
  const Targets<Warp, K> own = targets;
  const PairSoftening<Warp, K, lengths> eps2 = softening;
  const SourceRounds<Warp, sharing, order, lengths> rounds(sources);
  Sums<Warp, K> part, other_parts[chains > 1 ? chains - 1 : 1];
  const float factor = root_factor<root, Warp>(1), factor3 = root_factor<root, Warp>(3);
  const float factor2 = factor * factor;
  // Inlined, since a call for every source makes walks of small groups a sixth slower on a CPU.
  const auto add = [&](std::uint32_t round, auto share, Sums<Warp, K>& to)
      __attribute__((always_inline)) {
    const auto source = rounds.record(0, round);
    for (int k = 0; k < K; ++k) {
      const Float dx = source.x - own.x[k];
      const Float dy = source.y - own.y[k];
      const Float dz = source.z - own.z[k];
      const Float pair_eps2 = eps2.of_pair(k, share);
      const Float s2 = dx * dx + (dy * dy + (dz * dz + pair_eps2));
      const Float inverse = scaled_root<root, Warp>(s2);
      const Float inverse2 = inverse * inverse;
      Float weight;
      if constexpr (order == Order::point) {
        const Float potential = source.w * inverse;
        weight = potential * inverse2;
        to.potential[k] += potential;
      } else {
        Float g2 = inverse2;
        if constexpr (root == Root::newton && Warp::rsqrt_scale != 1) g2 *= factor2;
        const Float inverse3 = inverse * inverse2, inverse5 = inverse3 * g2;
        Expansion<Float> more;
        Multipole<order>::expand(
            Separation<Float, lengths>{dx, dy, dz, g2, pair_eps2},
            [&](int number) { return rounds.record(number, round); }, more);
        weight = inverse3 * (source.w + more.radial);
        to.potential[k] += inverse * (source.w + more.potential);
        to.x[k] += inverse5 * more.x;
        to.y[k] += inverse5 * more.y;
        to.z[k] += inverse5 * more.z;
      }
      to.x[k] += weight * dx;
      to.y[k] += weight * dy;
      to.z[k] += weight * dz;
    }
  };
  std::uint32_t j = 0;
  if constexpr (lengths == Lengths::own && order == Order::point && sharing == 1 && chains == 1) {
    // One instruction of a GPU reads four shares.
    GOTHIC_UNROLL_ON_GPU(1)
    for (; j + 4 <= n; j += 4) {
      const Vec4 shares = rounds.four_shares(j);
      add(j, shares.x, part);
      add(j + 1, shares.y, part);
      add(j + 2, shares.z, part);
      add(j + 3, shares.w, part);
    }
  }
  if constexpr (chains > 1) {
    for (; j + chains <= n; j += chains) {
      add(j, rounds.share(j), part);
      for (int c = 1; c < chains; ++c) add(j + c, rounds.share(j + c), other_parts[c - 1]);
    }
    for (const Sums<Warp, K>& other : other_parts) part.add(other);
  }
  GOTHIC_UNROLL_ON_GPU(unroll)
  for (; j < n; ++j) add(j, rounds.share(j), part);
  for (int k = 0; k < K; ++k) {
    sums.potential[k] += factor * part.potential[k];
    sums.x[k] += factor3 * part.x[k];
    sums.y[k] += factor3 * part.y[k];
    sums.z[k] += factor3 * part.z[k];
  }
}

}  // namespace gothic
