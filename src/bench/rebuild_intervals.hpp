#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/race.hpp"
#include "paper/rebuild_rules.hpp"

namespace gothic::detail {

/// Time of a step if one tree serves 1, 2, 3, 4, 6, 8, ... 64 steps, and by each rule that
/// decides this itself; without the intervals that are much too long.
template <DeviceType Device>
files::ReportTable bench_rebuild(Device& device, const BenchTask& task) {
  std::vector<Contender> contenders;
  for (const int interval : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
    contenders.push_back({"interval-" + std::to_string(interval), "fixed", task.force, task.steps});
    contenders.back().steps.rebuild_interval = interval;
  }
  for (const auto& [name, rule] : rebuild_rules) {
    contenders.push_back({name, "rule", task.force, task.steps});
    contenders.back().steps.rebuild_interval = 0;
    contenders.back().steps.rebuild_policy = rebuild_policy(rule);
  }
  const std::vector<RaceTime> times =
      race(device, task.snapshot, contenders, task.round_steps, task.repeats);
  const double best = best_fixed(times), particles = double(task.snapshot.particles.size());
  files::ReportTable table;
  for (const RaceTime& time : times) {
    const double steps = double(time.steps);
    table.add(files::ReportRow()
                  .put("setting", time.contender.setting)
                  .put("kind", time.contender.kind)
                  .put("steps", time.steps)
                  .put("seconds_per_step", files::spread_of(time.seconds))
                  .put("seconds_per_time", time.per_step() * steps / time.time)
                  .put("rebuilds", time.rebuilds)
                  .put("mean_interval", steps / double(time.rebuilds > 0 ? time.rebuilds : 1))
                  .put("pairs/particle/step", double(time.interactions) / (steps * particles))
                  .put("seconds_over_best", time.per_step() / best));
  }
  return table;
}

}  // namespace gothic::detail
