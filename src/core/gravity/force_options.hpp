#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/gravity/acceptance.hpp"
#include "core/gravity/external_field.hpp"
#include "core/gravity/variation.hpp"
#include "core/gravity/walk.hpp"
#include "core/tree/particle_keys.hpp"

namespace gothic {

/// Which reciprocal square root; automatic takes the estimate where the accuracy allows it.
enum class RootChoice { automatic, newton, estimate };

/// Options of a force: those that change its result, and those that change its speed only.
struct ForceOptions {
  Acceptance acceptance;
  /// 99 % error of the forces that is asked for: accuracy, and order if that is automatic, are then
  /// found by trial. 0: the accuracy of the criterion counts.
  double error = 0;
  double softening = 0;  ///< Plummer softening length, positive
  /// The lengths of components by their numbers, positive; points have `softening` then, the
  /// shortest of them. Empty: all have `softening`.
  std::vector<double> component_softening = {};
  RootChoice root = RootChoice::automatic;
  Curve curve = Curve::hilbert;
  Placement placement = Placement::tight;  ///< of the key cube; on several ranks it is centered
  std::uint32_t leaf_capacity = 0;         ///< 0: the device's default
  std::uint32_t list_capacity = 0;         ///< sources that a warp sums at a time; 0: the default
  std::uint32_t group_size = 0;  ///< particles of a group, a power of two; 0: the solver chooses
  int sharing = 0;               ///< lanes per particle, another way to say group_size; 0: no
  /// Size of groups whose neighbours count for the ball, so that forces are as exact as with the
  /// usual size. 0: the solver chooses.
  std::uint32_t exact_group_size = 0;
  float split_ratio = 8;        ///< see WalkData
  ExternalField external = {};  ///< pulls besides the particles
  /// Another way to find forces; null for the usual one.
  std::shared_ptr<const VariationMaker> variation = nullptr;

  /// The softening length of a component.
  double softening_of(std::int32_t component) const {
    return component_softening.empty() ? softening : component_softening.at(std::size_t(component));
  }

  /// The same with another criterion.
  ForceOptions with(const Acceptance& other) const {
    ForceOptions options = *this;
    options.acceptance = other;
    return options;
  }
};

/// Seconds of the stages of a force and what was counted. The external field belongs to the walk.
struct ForceCost {
  double keys = 0, sort = 0, build = 0, groups = 0, moments = 0, walk = 0;
  WalkCount counts;
  std::uint32_t group_count = 0;
  int sharing = 1;         ///< S, lanes that share a particle of the largest groups
  float group_extent = 0;  ///< r_crit above which groups were cut; 0 for no limit

  // on several ranks
  double exchange = 0;   ///< seconds of giving parts of trees and particles to others
  double waiting = 0;    ///< seconds in messages, mean of the ranks; a part of all other times
  double walk_mean = 0;  ///< the walk's seconds, mean of the ranks
  std::uint64_t remote_cells = 0;      ///< cells of other ranks that the ranks got
  std::uint64_t remote_particles = 0;  ///< particles of other ranks that the ranks got
  std::uint32_t walked_alone = 0;      ///< targets that walked again since cells were missing
  int renewed = 0;  ///< how often trees were passed anew since walking alone did not help

  /// Combines two ranks: counts and means add up; for times the slower rank counts.
  static ForceCost together(ForceCost a, const ForceCost& b) {
    for (double ForceCost::*const time :
         {&ForceCost::keys, &ForceCost::sort, &ForceCost::build, &ForceCost::groups,
          &ForceCost::moments, &ForceCost::walk, &ForceCost::exchange}) {
      a.*time = std::max(a.*time, b.*time);
    }
    a.counts += b.counts;
    a.group_count += b.group_count;
    a.waiting += b.waiting;
    a.walk_mean += b.walk_mean;
    a.remote_cells += b.remote_cells;
    a.remote_particles += b.remote_particles;
    a.walked_alone += b.walked_alone;
    return a;
  }
};

}  // namespace gothic
