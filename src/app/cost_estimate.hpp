#pragma once

#include <cstdint>
#include <span>

#include "core/engine/simulation.hpp"

namespace gothic {

/// Seconds of the parts of a step, from which the seconds of any step are interpolated.
struct StepCost {
  double particles = 0;           ///< of the simulation
  double walk_all_active = 0;     ///< of a walk with all particles active
  double fewest_active = 0;       ///< active particles in the cheapest kind of step
  double walk_fewest_active = 0;  ///< of a walk with so few active
  double besides = 0;             ///< of every step, whatever is active
  double build = 0;               ///< of a new tree: keys, sort, construction
  int rebuild_interval = 0;       ///< steps that one tree serves; 0 if the rule decides

  /// Seconds of a walk for `active` particles, by a power law through the two measurements.
  double walk_seconds(double active) const;
};

/// What was measured in a first force and some steps after it, at least one.
StepCost measured_cost(const ForceCost& first, std::span<const StepRecord> steps,
                       std::uint32_t particles, int rebuild_interval);

/// What steps will cost as long as the particles have the steps of the start.
struct CostEstimate {
  double shortest_step = 0, longest_step = 0;  ///< in units of time
  double steps_per_longest = 0;                ///< steps of the system in one of the longest
  double active = 0;                           ///< mean share of active particles
  double tree_interval = 0;                    ///< steps that one tree serves
  double seconds_per_step = 0;                 ///< mean
};

/// Sums the steps of one longest step.
///
/// With particles on levels of the steps dt_1 < ... < dt_L the system takes dt_L / dt_1 steps in
/// one longest step. The particles of level l and of all levels below, A_l in number, are active
/// together in dt_L / dt_l - dt_L / dt_(l + 1) of these steps, and in 1 step for l = L. The mean of
/// the active particles is sum_l n_l dt_1 / dt_l.
///
/// A step costs the walk of its active particles, what every step costs, and a share of a tree. A
/// tree that serves k steps costs its construction B once and, by the rule that rebuilds trees, as
/// much again in dearer walks; k = sqrt(20 B / w), at least 1, where w is the mean walk, if a walk
/// becomes a tenth dearer with every step that its tree has served. With a fixed interval the
/// dearer walks are left out.
///
/// \param levels at least one
CostEstimate estimated(const StepLevels& levels, const StepCost& cost);

}  // namespace gothic
