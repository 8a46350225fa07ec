#pragma once

#include <cmath>
#include <cstdint>

#include "core/device/power_of_two.hpp"
#include "core/gravity/group_box.hpp"
#include "core/gravity/judgement.hpp"
#include "core/gravity/pair.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// Number of lanes that share one particle of a group of `size` particles, at K particles per lane:
/// a power of two.
template <class Warp, int K>
constexpr int lanes_sharing(std::uint32_t size) {
  int sharing = 1;
  while (2 * sharing <= Warp::most_sharing && 2 * sharing * int(size) <= K * Warp::width) {
    sharing *= 2;
  }
  return sharing;
}

/// |a_i|^2 as it counts for a relative criterion; see least_share.
/// \param a accelerations and potentials
/// \param least smallest |a_i| over Phi_i^2; 0 if potentials include an external field
template <class Warp, class Vector>
GOTHIC_HD inline typename Warp::Float effective_square(const Vector& a, float least) {
  const typename Warp::Float least_size = least * (a.w * a.w),
                             size2 = a.x * a.x + (a.y * a.y + a.z * a.z);
  return Warp::max(size2, least_size * least_size);
}

/// The particles of a group in the registers of a warp, K of them per lane, and the ball that
/// stands for them when cells are judged. Where a group has fewer particles than fit in, several
/// lanes may share each of them and sum a part of the sources each.
template <class Warp, int K, Lengths lengths>
struct TargetGroup {
  using Float = typename Warp::Float;

  typename Warp::Index index[K];  ///< places in the order of the tree
  Targets<Warp, K> at;
  PairSoftening<Warp, K, lengths> softening;
  Sums<Warp, K> sums;
  std::uint32_t count;  ///< particles, at least 1; idle lanes repeat the last one
  int sharing;          ///< lanes that share a particle, a power of two
  GroupBounds bounds;   ///< by which cells are judged
  Vec4 first;           ///< place of the first particle, and s_I of it alone

  /// \param shares of all particles in the softening; null if all have the length `length`
  /// \param old_acceleration of all particles, and their potentials
  /// \param least smallest |a_i| over Phi_i^2; 0 if potentials include an external field
  /// \param lanes_sharing lanes that share a particle
  /// \param neighbours that count for the ball and the scale
  /// \param made the ball; null for the ball of the bounding box
  GOTHIC_HD void load(const Vec4* position, const float* shares, float length,
                      const Vec4* old_acceleration, const std::uint32_t* targets, Range own,
                      const Acceptance& acceptance, float least, int lanes_sharing,
                      const Neighbourhood& neighbours = {}, const Vec4* made = nullptr) {
    count = own.count;
    sharing = lanes_sharing;
    if constexpr (lengths == Lengths::equal) softening.square = length * length;
    const auto square = [=](const auto& a) { return effective_square<Warp>(a, least); };
    Float a2_min;
    for (int k = 0; k < K; ++k) {
      const int n = int(count) - k * lanes();
      index[k] = n > 0 ? Warp::load(targets + own.first + k * lanes(), n, sharing) : index[0];
      const auto p = Warp::gather(position, index[k]);
      const auto a = Warp::gather(old_acceleration, index[k]);
      at.x[k] = p.x;
      at.y[k] = p.y;
      at.z[k] = p.z;
      if constexpr (lengths == Lengths::own) softening.share[k] = Warp::gather(shares, index[k]);
      a2_min = k == 0 ? square(a) : Warp::min(a2_min, square(a));
    }
    const Range near = neighbours.around(targets[own.first]);
    for_each_run<Warp>(near, [&](std::uint32_t first, int n) {
      a2_min = Warp::min(a2_min, square(Warp::load(old_acceleration + first, n)));
    });
    const float smallest = std::sqrt(Warp::min(a2_min));
    bounds.scales = {acceptance.scale(smallest), acceptance.of_points().scale(smallest)};
    first = position[targets[own.first]];
    first.w = acceptance.scale(std::sqrt(Warp::min(square(old_acceleration[targets[own.first]]))));
    bounds.ball = made != nullptr ? *made : ball_of_box(position, near);
  }

  /// Adds the pull of n sources, with as few registers as the group fills. If lanes share, there is
  /// room behind each kind of records, up to a multiple of `lanes_sharing`.
  /// \tparam lanes_sharing the group's number of lanes that share a particle
  template <Root root, Order order, int lanes_sharing>
  GOTHIC_HD void add(const SourceList& sources, std::uint32_t n) {
    // Records that fill up the last round have no mass.
    constexpr std::uint32_t at_once = lanes_sharing;
    const std::uint32_t rounds = (n + at_once - 1) / at_once;
    for (std::uint32_t record = 0; record < Multipole<order>::records; ++record) {
      Warp::fill(sources.records + record * sources.stride + n, rounds * at_once - n, Vec4{});
    }
    if constexpr (lengths == Lengths::own && order == Order::point) {
      Warp::fill(sources.shares + n, rounds * at_once - n, 0.0F);
    }
    constexpr int fewest = K < Warp::least_per_lane ? K : Warp::least_per_lane;
    constexpr int lanes = Warp::width / lanes_sharing;
    const int used = (int(count) + lanes - 1) / lanes;
    with_power_of_two<fewest, K>(used, [&]<int registers>() {
      add_registers<root, order, registers, lanes_sharing>(sources, rounds);
    });
  }

  /// Writes accelerations, and potentials without the particle's own -G m_i / eps.
  template <Root root>
  GOTHIC_HD void store(const Vec4* position, Vec4* acceleration, float gravity) const {
    for (int k = 0; k < K; ++k) {
      const int n = int(count) - k * lanes();
      if (n <= 0) return;
      const Float own = own_inverse<root, Warp>(own_square(k));
      const auto all = [&](const Float& part) { return Warp::sum_shared(part, sharing); };
      Warp::scatter(
          acceleration, index[k], n < lanes() ? n : lanes(),
          {gravity * all(sums.x[k]), gravity * all(sums.y[k]), gravity * all(sums.z[k]),
           gravity * (Warp::gather(position, index[k]).w * own - all(sums.potential[k]))});
    }
  }

 private:
  /// The ball about the centre of the bounding box.
  GOTHIC_HD Vec4 ball_of_box(const Vec4* position, Range near) const {
    auto lanes = LaneBox<Warp>::around(at);
    for_each_run<Warp>(near, [&](std::uint32_t first, int n) {
      const auto p = Warp::load(position + first, n);
      lanes.include(p.x, p.y, p.z);
    });
    Vec4 result = GroupBox::around(lanes).center();
    Float d2 = farthest2(at, result);
    for_each_run<Warp>(near, [&](std::uint32_t first, int n) {
      const auto p = Warp::load(position + first, n);
      d2 = Warp::max(d2, farthest2(Targets<Warp, 1>{{p.x}, {p.y}, {p.z}}, result));
    });
    result.w = ball_safety * std::sqrt(Warp::max(d2));
    return result;
  }

  /// Squared softening lengths of the particles in a register.
  GOTHIC_HD Float own_square(int k) const {
    if constexpr (lengths == Lengths::equal) {
      return softening.square;
    } else {
      return 2 * softening.share[k];
    }
  }

  /// Different particles in one register.
  GOTHIC_HD int lanes() const { return Warp::width / sharing; }

  template <Root root, Order order, int used, int lanes_sharing>
  GOTHIC_HD void add_registers(const SourceList& sources, std::uint32_t rounds) {
    Targets<Warp, used> targets;
    PairSoftening<Warp, used, lengths> own;
    if constexpr (lengths == Lengths::equal) own.square = softening.square;
    Sums<Warp, used> part;
    for (int k = 0; k < used; ++k) {
      targets.x[k] = at.x[k];
      targets.y[k] = at.y[k];
      targets.z[k] = at.z[k];
      if constexpr (lengths == Lengths::own) own.share[k] = softening.share[k];
    }
    interact<root, order, lanes_sharing>(targets, sources, rounds, own, part);
    for (int k = 0; k < used; ++k) {
      sums.x[k] += part.x[k];
      sums.y[k] += part.y[k];
      sums.z[k] += part.z[k];
      sums.potential[k] += part.potential[k];
    }
  }
};

}  // namespace gothic
