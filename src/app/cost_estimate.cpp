#include "app/cost_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dynamics/growth.hpp"
#include "files/report_table.hpp"

namespace gothic {
namespace {

/// Largest exponent of the power law: particles that are often active are not so much cheaper than
/// others.
constexpr double steepest = 1.2;

/// Usual growth of a walk's time from step to step with one tree, as a share of it.
constexpr double growth_per_step = 0.1;

double seconds_of_tree(const ForceCost& cost) { return cost.keys + cost.sort + cost.build; }

}  // namespace

double StepCost::walk_seconds(double active) const {
  const bool is_one_point =
      fewest_active >= particles || !(walk_all_active > 0) || !(walk_fewest_active > 0);
  const double power = is_one_point ? 1
                                    : std::log(walk_all_active / walk_fewest_active) /
                                          std::log(particles / fewest_active);
  return walk_all_active * std::pow(active / particles, std::clamp(power, 0.0, steepest));
}

StepCost measured_cost(const ForceCost& first, std::span<const StepRecord> steps,
                       std::uint32_t particles, int rebuild_interval) {
  std::uint32_t fewest_active = particles;
  for (const StepRecord& step : steps) fewest_active = std::min(fewest_active, step.active);
  std::vector<double> walks, besides;
  for (const StepRecord& step : steps) {
    if (step.active == fewest_active) walks.push_back(step.force.walk);
    besides.push_back(step.total - step.force.walk - seconds_of_tree(step.force));
  }
  return {.particles = double(particles),
          .walk_all_active = first.walk,
          .fewest_active = double(fewest_active),
          .walk_fewest_active = files::spread_of(walks).median,
          .besides = files::spread_of(besides).median,
          .build = seconds_of_tree(first),
          .rebuild_interval = rebuild_interval};
}

CostEstimate estimated(const StepLevels& levels, const StepCost& cost) {
  const double shortest = levels.front().step, longest = levels.back().step;
  double active = 0, all_active = 0, walk = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    active += levels[l].particles;
    const double next = l + 1 < levels.size() ? longest / levels[l + 1].step : 0;
    const double steps = longest / levels[l].step - next;
    all_active += steps * active;
    walk += steps * cost.walk_seconds(active);
  }
  CostEstimate result{.shortest_step = shortest, .longest_step = longest};
  result.steps_per_longest = longest / shortest;
  result.active = all_active / result.steps_per_longest / cost.particles;
  walk /= result.steps_per_longest;
  const bool is_fixed = cost.rebuild_interval > 0;
  result.tree_interval =
      is_fixed ? cost.rebuild_interval
               : std::max(1.0, Growth::best_interval(growth_per_step * walk, cost.build));
  result.seconds_per_step =
      walk + cost.besides + (is_fixed ? 1 : 2) * cost.build / result.tree_interval;
  return result;
}

}  // namespace gothic
