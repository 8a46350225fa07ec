#pragma once

#include <cstdint>

#include "gravity/acceptance.hpp"
#include "tree/tree.hpp"

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
  Vec4* acceleration;  ///< [n] written for the targets: acceleration and potential
  WalkCount* counts;   ///< [tasks] a task is a bundle or a group

  Acceptance acceptance;
  float softening2;  ///< square of the softening length, positive
  int sharing;       ///< lanes that share a particle
};

/// A cell may act as a whole on a group if |r_J - r'_I| >= max(R_J s_I, b_J); r'_I is the point of
/// the group's ball that is nearest to the cell, so that this is
/// |r_J - r_I| >= b_I + max(R_J s_I, b_J).
///
/// With b_J no cell acts on particles that may lie inside it. The opening angle and the multipole
/// criterion imply that; the acceleration criterion does not, and takes a far galaxy and the
/// target's own for one cell where their common one is wide enough.
template <class Warp, class Group>
GOTHIC_HD inline typename Warp::Mask may_act(const typename Warp::Float4& center,
                                             const typename Warp::Float& acceptance_radius,
                                             const typename Warp::Float& size,
                                             const Group& group) {
  using Float = typename Warp::Float;
  const Float dx = center.x - group.ball.x, dy = center.y - group.ball.y,
              dz = center.z - group.ball.z;
  const Float reach = group.ball.w + Warp::max(acceptance_radius * group.scale, size);
  return dx * dx + (dy * dy + dz * dz) >= reach * reach;
}

}  // namespace gothic
