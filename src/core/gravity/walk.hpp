#pragma once

#include <cstdint>

#include "core/gravity/acceptance.hpp"
#include "core/gravity/group_box.hpp"
#include "core/gravity/pair.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// What the walk of a bundle or a group did.
struct WalkCount {
  std::uint64_t interactions = 0;             ///< pairs that were summed
  std::uint64_t quadrupole_interactions = 0;  ///< those of them whose source has a quadrupole alone
  std::uint64_t octupole_interactions = 0;    ///< those of them whose source has an octupole
  std::uint64_t cells_judged = 0;

  /// Pairs of points that take as long to sum; see ForceCost.
  GOTHIC_HD double equivalent_pairs() const {
    return double(interactions) + 1.4 * double(quadrupole_interactions) +
           3.8 * double(octupole_interactions);
  }
};

/// What a tree walk reads and writes; all pointers to device memory.
struct WalkData {
  // the tree
  const Vec4* center;
  const SecondMoments* second_moments;
  const ThirdMoments* third_moments;
  const Vec4* reach;              ///< see update_acceptance
  const std::uint32_t* children;  ///< packed families
  const Range* particles;
  const std::uint32_t* roots;  ///< [root_count] of the own tree, and of those of others
  std::uint32_t root_count;    ///< at least 1
  // the particles, in the order of the tree
  const Vec4* position;          ///< [n] positions and masses
  const Vec4* old_acceleration;  ///< [n] and potential, for the acceleration criterion
  // the targets
  const std::uint32_t* targets;  ///< particles that want a force
  const Range* groups;           ///< [group_count] parts of `targets`
  std::uint32_t group_count;
  const Vec4* balls = nullptr;  ///< [group_count] of make_balls; null: those of boxes, as of parts
  Vec4* acceleration;           ///< [n] written for the targets: acceleration and potential
  WalkCount* counts;            ///< [bundles], or [groups] and one for the parts of groups

  Acceptance acceptance;
  float softening;    ///< positive
  bool has_external;  ///< whether the old potentials are not those of the particles alone

  std::uint32_t group_size;     ///< largest number of particles in a group, a power of two
  Neighbourhood neighbours;     ///< that count for the ball and the scale of a group
  std::uint32_t list_capacity;  ///< sources that a warp sums at a time, at least its width

  /// A group is split if the cells opened only because of its extent exceed this multiple of those
  /// that its first particle alone would open; 0: never.
  float split_ratio;
  // the walks of single groups
  std::uint32_t deepest_cell;  ///< one of them
  Range* parts;                ///< [2 targets] scratch for those of groups that are split
};

/// Squared distances of cells from the centre of a ball.
template <class Warp>
GOTHIC_HD inline typename Warp::Float squared_distance(const typename Warp::Float4& center,
                                                       const Vec4& ball) {
  const typename Warp::Float dx = center.x - ball.x, dy = center.y - ball.y, dz = center.z - ball.z;
  return dx * dx + (dy * dy + dz * dz);
}

/// See TargetGroup::load.
GOTHIC_HD inline float least_acceleration(const WalkData& data) {
  float mass = 0;
  for (std::uint32_t i = 0; i < data.root_count; ++i) mass += data.center[data.roots[i]].w;
  return least_acceleration(data.acceptance, mass, !data.has_external);
}

/// Distance from which a cell may act on a particle: max(radius s_I, least). It may act on a group
/// if the ball of the group is no nearer.
template <class Warp>
GOTHIC_HD inline typename Warp::Float reach_of(const typename Warp::Float& radius,
                                               const typename Warp::Float& least, float scale) {
  return Warp::max(radius * scale, least);
}

/// Which of some cells act on a group as a whole, and how each of those acts.
template <class Warp>
struct Acting {
  using Mask = typename Warp::Mask;
  Mask any, octupole{false}, quadrupole{false}, point;
};

/// \param d2 squared distances of cells from the centre of the group's ball
/// \param reach see update_acceptance
/// \param ball, scale, point_scale see TargetGroup
template <class Warp, Order order>
GOTHIC_HD inline Acting<Warp> acting(const typename Warp::Float& d2,
                                     const typename Warp::Float4& reach, const Vec4& ball,
                                     float scale, float point_scale) {
  const auto is_beyond = [&](const typename Warp::Float& distance) {
    const typename Warp::Float all = ball.w + distance;
    return d2 >= all * all;
  };
  using Mask = typename Warp::Mask;
  Acting<Warp> result;
  result.any = result.point = is_beyond(reach_of<Warp>(reach.x, reach.y, scale));
  if constexpr (order != Order::point) {
    const Mask far = is_beyond(reach_of<Warp>(reach.z, reach.w, point_scale));
    result.point = result.any && far;
    result.quadrupole = result.any && !result.point;
  }
  if constexpr (order == Order::octupole) {
    const Mask far = is_beyond(reach_of<Warp>(reach.x, reach.y, nearest_quadrupole * scale));
    result.octupole = result.quadrupole && !far;
    result.quadrupole = result.quadrupole && far;
  }
  return result;
}

/// The number of opened cells that the first particle of a group alone would not open, minus
/// split_ratio times the number of the others.
/// \param center, radii of the cells that were judged, \param first see TargetGroup
template <class Warp>
GOTHIC_HD inline float excess_of(const WalkData& data, const Vec4& first,
                                 const typename Warp::Float4& center,
                                 const typename Warp::Float4& radii,
                                 const typename Warp::Mask& opened) {
  const typename Warp::Float reach = reach_of<Warp>(radii.x, radii.y, first.w);
  const typename Warp::Mask own = opened && squared_distance<Warp>(center, first) < reach * reach;
  const int for_particle = Warp::count(own), for_extent = Warp::count(opened) - for_particle;
  return float(for_extent) - data.split_ratio * float(for_particle);
}

/// Whether a group should be split: its extent makes it open too many cells.
/// \param few cells that are no sign of it
GOTHIC_HD inline bool is_wide(const WalkData& data, float excess, int few) {
  return excess > data.split_ratio * float(few);
}

/// The parts into which a group is split, at most four.
struct Parts {
  Range all;
  std::uint32_t size = (all.count + 3) / 4;  ///< particles in a part, but for the last

  GOTHIC_HD std::uint32_t count() const { return (all.count + size - 1) / size; }
  GOTHIC_HD Range operator[](std::uint32_t k) const {
    const std::uint32_t done = k * size, rest = all.count - done;
    return {all.first + done, rest < size ? rest : size};
  }
};

/// Lists n cells as sources. All moments of a cell are read before its first record is written, so
/// that a GPU waits for its memory once.
/// \param stride between the records of a source
template <class Warp, Order order>
GOTHIC_HD void list_cells(const WalkData& data, const std::uint32_t* cells, std::uint32_t n,
                          Vec4* sources, std::uint32_t stride) {
  const float softening2 = data.softening * data.softening;
  Warp::for_each(n, [=](std::uint32_t i) {
    const std::uint32_t cell = cells[i];
    const Vec4 center = data.center[cell];
    SecondMoments second;
    ThirdMoments third;
    if constexpr (order != Order::point) second = data.second_moments[cell];
    if constexpr (order == Order::octupole) third = data.third_moments[cell];
    sources[i] = center;
    for (int record = 1; record < source_records<order>; ++record) {
      sources[std::uint32_t(record) * stride + i] =
          record < source_records<Order::quadrupole> ? quadrupole_record(second, softening2, record)
                                                     : octupole_record(third, softening2, record);
    }
  });
}

/// Number of bundles that so many groups make.
template <int B>
constexpr std::uint32_t bundle_count(std::uint32_t groups) {
  return (groups + B - 1) / B;
}

/// Forces on all targets by the walk that suits the device: of bundles of groups on the CPU, of
/// single groups on a GPU. Compiled once for each device, in walk_cpu.cpp and walk_cuda.cu.
template <class Device>
void walk(const Device& device, Root root, const WalkData& data);

}  // namespace gothic
