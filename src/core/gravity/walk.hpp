#pragma once

#include <cstdint>

#include "core/gravity/acceptance.hpp"
#include "core/gravity/group_box.hpp"
#include "core/gravity/judgement.hpp"
#include "core/gravity/pair.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// What walks counted.
struct WalkCount {
  PerOrder<std::uint64_t> pairs;  ///< that were summed, by the order to which the source acts
  std::uint64_t cells_judged = 0;

  /// Number of all pairs.
  GOTHIC_HD std::uint64_t interactions() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t own : pairs.value) sum += own;
    return sum;
  }
  /// Number of pairs of points that would take as long to sum.
  template <class Defaults>
  GOTHIC_HD double equivalent_pairs() const {
    double sum = double(interactions());
    for_each_order<Order::quadrupole, highest_order>([&]<Order order>() {
      constexpr double extra = Defaults::extra_cost[int(order)];  // device code has no such array
      sum += extra * double(pairs[order]);
    });
    return sum;
  }
  GOTHIC_HD WalkCount& operator+=(const WalkCount& other) {
    for (int order = 0; order < order_count; ++order)
      pairs.value[order] += other.pairs.value[order];
    cells_judged += other.cells_judged;
    return *this;
  }
  GOTHIC_HD friend WalkCount operator+(WalkCount a, const WalkCount& b) { return a += b; }
};

/// What a tree walk reads and writes; all pointers to device memory.
struct WalkData {
  TreeView tree;
  // the particles, in the order of the tree
  const Vec4* position;          ///< [n] positions and masses
  const Vec4* old_acceleration;  ///< [n] and potential, for the acceleration criterion
  // the targets
  const std::uint32_t* targets;  ///< particles that want a force
  const Range* groups;           ///< [group_count] parts of `targets`
  std::uint32_t group_count;
  const Vec4* balls = nullptr;  ///< [group_count]; null: balls of the boxes, as parts have
  Vec4* acceleration;           ///< [n] written for the targets: acceleration and potential
  WalkCount* counts;            ///< [bundles], or [groups] and one for the parts of groups

  Acceptance acceptance;
  float softening;    ///< of all particles, positive; not used if they have lengths of their own
  bool has_external;  ///< whether old potentials include an external field

  std::uint32_t group_size;     ///< largest number of particles in a group, a power of two
  Neighbourhood neighbours;     ///< that count for the ball and the scale of a group
  std::uint32_t list_capacity;  ///< sources that a warp sums at a time, at least its width

  /// A group is split if the cells opened only because of its extent exceed this multiple of the
  /// cells that its first particle alone would open; 0: never.
  float split_ratio;
  // the walks of single groups
  std::uint32_t deepest_cell;  ///< a cell of the deepest level
  Range* parts;                ///< [2 targets] scratch for the parts of groups that are split
};

/// See TargetGroup::load.
GOTHIC_HD inline float least_acceleration(const WalkData& data) {
  float mass = 0;
  for (std::uint32_t i = 0; i < data.tree.root_count; ++i)
    mass += data.tree.center[data.tree.roots[i]].w;
  return least_acceleration(data.acceptance, mass, !data.has_external);
}

/// The number of opened cells that the first particle of a group alone would not open, minus
/// split_ratio times the number of the other opened cells.
/// \param center, reach of the cells that were judged, \param first see TargetGroup
template <class Warp>
GOTHIC_HD inline float excess_of(const WalkData& data, const Vec4& first,
                                 const typename Warp::Float4& center,
                                 const typename Warp::Float4& reach,
                                 const typename Warp::Mask& opened) {
  const typename Warp::Float far = reach_of<Order::point, Order::point, Warp>(reach, {first.w, 0});
  const typename Warp::Mask own = opened && squared_distance<Warp>(center, first) < far * far;
  const int for_particle = Warp::count(own), for_extent = Warp::count(opened) - for_particle;
  return float(for_extent) - data.split_ratio * float(for_particle);
}

/// Whether a group should be split: its extent makes it open too many cells.
/// \param few a number of opened cells that does not tell yet
GOTHIC_HD inline bool is_wide(const WalkData& data, float excess, int few) {
  return excess > data.split_ratio * float(few);
}

/// The parts into which a group is split, at most four.
struct Parts {
  Range all;
  std::uint32_t size = (all.count + 3) / 4;  ///< particles in a part; the last may have fewer

  GOTHIC_HD std::uint32_t count() const { return (all.count + size - 1) / size; }
  GOTHIC_HD Range operator[](std::uint32_t k) const {
    const std::uint32_t done = k * size, rest = all.count - done;
    return {all.first + done, rest < size ? rest : size};
  }
};

/// Lists n cells as sources. All moments of a cell are read before its first record is written, so
/// that a GPU waits for its memory once.
template <class Warp, Order order, Lengths lengths>
GOTHIC_HD void list_cells(const WalkData& data, const std::uint32_t* cells, std::uint32_t n,
                          const SourceList& sources) {
  const float softening2 = lengths == Lengths::equal ? data.softening * data.softening : 1;
  Warp::for_each(n, [=](std::uint32_t i) {
    const std::uint32_t cell = cells[i];
    const Vec4 center = data.tree.center[cell];
    Multipole<order> multipole;
    multipole.read(data.tree.moments, cell);
    sources.records[i] = center;
    for (int k = 1; k < Multipole<order>::records; ++k) {
      Vec4 record = multipole.record(k, softening2);
      if constexpr (lengths == Lengths::own) {
        if (k == Multipole<Order::quadrupole>::free_record) record.w = data.tree.cell_share[cell];
      }
      sources.records[std::uint32_t(k) * sources.stride + i] = record;
    }
    if constexpr (lengths == Lengths::own && order == Order::point) {
      sources.shares[i] = data.tree.cell_share[cell];
    }
  });
}

/// Number of bundles that so many groups make.
template <int B>
constexpr std::uint32_t bundle_count(std::uint32_t groups) {
  return (groups + B - 1) / B;
}

/// Forces on all targets by the walk that suits the device: of bundles of groups on the CPU, of
/// single groups on a GPU. Compiled once for each device, in walk_on_device.cpp and, for particles
/// with softening lengths of their own, in walk_own_lengths_on_device.cpp.
template <Lengths lengths, class Device>
void walk(const Device& device, Root root, const WalkData& data);

}  // namespace gothic
