#pragma once

#include <cstdint>

#include "core/gravity/acceptance.hpp"
#include "core/gravity/group_box.hpp"
#include "core/gravity/pair.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// What the walk of a bundle or a group did.
struct WalkCount {
  std::uint64_t interactions = 0;  ///< pairs that were summed
  std::uint64_t cells_judged = 0;
};

/// What a tree walk reads and writes; all pointers to device memory.
struct WalkData {
  // the tree
  const Vec4* center;
  const float* acceptance_radius;
  const float* size;
  const std::uint32_t* children;  ///< packed families
  const Range* particles;
  // the particles, in the order of the tree
  const Vec4* position;          ///< [n] positions and masses
  const Vec4* old_acceleration;  ///< [n] for the acceleration criterion
  // the targets
  const std::uint32_t* targets;  ///< particles that want a force
  const Range* groups;           ///< [group_count] parts of `targets`
  std::uint32_t group_count;
  const Vec4* balls = nullptr;  ///< [group_count] of make_balls; null: those of boxes, as of parts
  Vec4* acceleration;           ///< [n] written for the targets: acceleration and potential
  WalkCount* counts;            ///< [tasks] a task is a bundle or a group

  Acceptance acceptance;
  float softening2;  ///< square of the softening length, positive

  std::uint32_t group_size;     ///< largest number of particles in a group, a power of two
  Neighbourhood neighbours;     ///< that count for the ball and the scale of a group
  std::uint32_t list_capacity;  ///< sources that a warp sums at a time, at least its width

  // the walks of single groups
  /// A group is split if cells opened only because of its extent exceed this multiple of the cells
  /// that a particle at its centre would open; 0: never.
  float split_ratio;
  Range* parts[2];             ///< [targets] scratch
  std::uint32_t* part_counts;  ///< [8] scratch
};

/// Squared distances of cells from the centre of a ball.
template <class Warp>
GOTHIC_HD inline typename Warp::Float squared_distance(const typename Warp::Float4& center,
                                                       const Vec4& ball) {
  const typename Warp::Float dx = center.x - ball.x, dy = center.y - ball.y, dz = center.z - ball.z;
  return dx * dx + (dy * dy + dz * dz);
}

/// Distance from which a cell may act as a whole on a particle, max(R_J s_I, b_J). It may act on a
/// group if the ball of the group is no nearer: |r_J - r_I| >= b_I + max(R_J s_I, b_J).
///
/// The bound b_J keeps cells from acting on particles inside them. The opening angle and the
/// multipole criterion imply it. The acceleration criterion does not: without the bound, a cell
/// that holds two distant galaxies could act on the particles of one of them.
template <class Warp>
GOTHIC_HD inline typename Warp::Float reach_of(const typename Warp::Float& acceptance_radius,
                                               const typename Warp::Float& size, float scale) {
  return Warp::max(acceptance_radius * scale, size);
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
