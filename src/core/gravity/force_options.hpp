#pragma once

#include <cstdint>

#include "core/gravity/acceptance.hpp"
#include "core/gravity/enclosing_ball.hpp"
#include "core/gravity/external_field.hpp"
#include "core/tree/particle_keys.hpp"

namespace gothic {

/// Which reciprocal square root; automatic takes the estimate where the accuracy allows it.
enum class RootChoice { automatic, newton, estimate };

/// What a force depends on, and what only its speed does.
struct ForceOptions {
  Acceptance acceptance;
  float softening = 0;  ///< Plummer softening length, positive
  RootChoice root = RootChoice::automatic;
  Curve curve = Curve::hilbert;
  std::uint32_t leaf_capacity = 0;  ///< 0: the device's default
  std::uint32_t list_capacity = 0;  ///< sources that a warp sums at a time; 0: the default
  std::uint32_t group_size = 0;     ///< particles of a group, a power of two; 0: the solver chooses
  int sharing = 0;                  ///< lanes per particle, another way to say group_size; 0: no
  float group_extent = 3e38F;       ///< r_crit, largest half diagonal of a group
  Ball ball = Ball::geo;            ///< which stands for a group when cells are judged
  float split_ratio = 4;            ///< see WalkData; for devices that walk with single groups
  ExternalField external = {};      ///< pulls besides the particles
};

/// Seconds of the stages of a force and what was counted. The external field belongs to the walk.
struct ForceCost {
  /// Most registers per thread of the kernels of a stage; 0 where it is not known.
  struct Registers {
    int keys = 0, sort = 0, build = 0, groups = 0, moments = 0, walk = 0;
  };
  double keys = 0, sort = 0, build = 0, groups = 0, moments = 0, walk = 0;
  std::uint64_t interactions = 0;  ///< pairs that were summed
  std::uint64_t cells_judged = 0;
  std::uint32_t group_count = 0;
  int sharing = 1;         ///< S, lanes that share a particle of the largest groups
  float group_extent = 0;  ///< r_crit above which groups were cut; 0 for no limit
  Registers registers;
};

}  // namespace gothic
