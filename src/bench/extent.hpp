#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/race.hpp"
#include "bench/system.hpp"
#include "paper/group_extents.hpp"
#include "paper/group_variant.hpp"

namespace gothic::detail {

/// Time of a step without a limit to the extent of groups, with limits half an octave apart from
/// the largest extent to half of the geometric mean, and with the limit that is found by trial.
template <DeviceType Device>
files::ReportTable bench_extent(Device& device, const BenchTask& task) {
  GroupExtents extents;
  {
    BenchSystem<Device> system(device, task.snapshot.particles, task.force);
    system.force_on_all();
    extents = group_extents(device, system.solver().last_groups());
  }
  std::vector<Contender> contenders{{"none", "fixed", task.force, task.steps}};
  const int limits = int(std::ceil(2 * (extents.largest_log2 - extents.mean_log2 + 1)));
  for (int k = 0; k < limits; ++k) {
    contenders.push_back({"limit", "fixed", task.force, task.steps});
    contenders.back().force.grouping =
        grouping({.extent = float(std::exp2(extents.largest_log2 - 0.5 * k))});
  }
  contenders.push_back({"auto", "rule", task.force, task.steps});
  contenders.back().force.grouping = grouping({.tune_extent = true});
  const std::vector<RaceTime> times =
      race(device, task.snapshot, contenders, task.round_steps, task.repeats);
  const double best = best_fixed(times);
  files::ReportTable table;
  for (const RaceTime& time : times) {
    table.add(files::ReportRow()
                  .put("setting", time.contender.setting)
                  .put("kind", time.contender.kind)
                  .put("group_extent", double(time.last.force.group_extent))
                  .put("steps", time.steps)
                  .put("seconds_per_step", files::spread_of(time.seconds))
                  .put("seconds_over_best", time.per_step() / best));
  }
  return table;
}

}  // namespace gothic::detail
