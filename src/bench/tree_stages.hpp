#pragma once

#include <string>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "core/dynamics/integrator.hpp"

namespace gothic::detail {

/// Seconds of the stages of a step.
struct StepCost : ForceCost {
  double predict = 0;
};

/// Stages of steps in which all particles are active and the tree is built anew. The particles are
/// in order already, as they nearly are in a simulation.
template <DeviceType Device>
files::ReportTable bench_tree(Device& device, const BenchTask& task) {
  BenchSystem<Device> system(device, task.snapshot.particles, task.force);
  const auto costs = repeated(task.repeats, [&] {
    StepCost cost;
    typename Device::Timer timer(device);
    predict(device, system.bodies(), TimeGrid(), 0, 0);
    timer.lap(cost.predict);
    system.rebuild(timer, cost);
    system.evaluate_all(timer, cost);
    timer.finish();
    return cost;
  });
  const double n = system.size();
  const auto& tree = system.solver().tree();
  files::ReportTable table;
  const auto add = [&](const char* stage, auto of) {
    const files::Spread seconds = spread_of(costs, of);
    table.add(files::ReportRow()
                  .put("stage", std::string(stage))
                  .put("particles", system.size())
                  .put("cells", tree.cells())
                  .put("levels", tree.levels())
                  .put("seconds", seconds)
                  .put("ns/particle", 1e9 * seconds.median / n)
                  .put("bytes/particle", double(device.used_memory()) / n));
  };
  add("keys", &ForceCost::keys);
  add("sort", &ForceCost::sort);
  add("build", &ForceCost::build);
  add("groups", &ForceCost::groups);
  add("moments", &ForceCost::moments);
  add("predict", &StepCost::predict);
  return table;
}

}  // namespace gothic::detail
