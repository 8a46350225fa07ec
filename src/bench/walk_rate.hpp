#pragma once

#include <algorithm>
#include <string>

#include "bench/bench.hpp"
#include "bench/direct_time.hpp"
#include "bench/system.hpp"

namespace gothic::detail {

template <DeviceType Device>
files::ReportTable bench_walk(Device& device, const BenchTask& task) {
  BenchSystem<Device> system(device, task.snapshot.particles, task.force);
  const auto costs = repeated(task.repeats, [&] { return system.force_on_all(); });
  const ForceCost& cost = costs.back();
  const std::uint32_t n = system.size();
  const bool estimate = system.solver().root() == Root::estimate;
  const DirectTime direct =
      time_direct(device, system.bodies().predicted.data(), std::min(n, default_sources(device)),
                  task.force.softening,
                  estimate ? Precision::single_estimate : Precision::single_newton, task.repeats);
  const files::Spread walk = spread_of(costs, &ForceCost::walk);
  const double rate = double(cost.interactions) / walk.median;
  files::ReportTable table;
  table.add(files::ReportRow()
                .put("particles", n)
                .put("root", std::string(estimate ? "estimate" : "newton"))
                .put("groups", cost.group_count)
                .put("cells_judged", cost.cells_judged)
                .put("interactions", cost.interactions)
                .put("interactions/particle", double(cost.interactions) / n)
                .put("groups_seconds", spread_of(costs, &ForceCost::groups))
                .put("moments_seconds", spread_of(costs, &ForceCost::moments))
                .put("walk_seconds", walk)
                .put("interactions/s", rate)
                .put("direct_interactions/s", direct.rate())
                .put("walk_over_direct", rate / direct.rate()));
  return table;
}

}  // namespace gothic::detail
