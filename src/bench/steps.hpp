#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "core/device/work_counts.hpp"
#include "core/engine/simulation_on.hpp"
#include "paper/force_variant.hpp"
#include "paper/group_extents.hpp"
#include "paper/rebuild_rules.hpp"

/// Times of steps: where they go, and with several intervals between trees or limits to the extent
/// of groups.
namespace gothic::detail {

/// Mean of a step of one round.
struct MeanStep {
  StepRecord sum = {};  ///< seconds and counts of all steps of the round
  double active = 0, rebuilds = 0;
  double wall = 0;  ///< seconds that pass for the host
  WorkCounts work = {};
  int steps;

  /// \param of a sum of the round
  double operator()(double of) const { return of / steps; }
};

/// Advances a simulation by a round.
inline MeanStep round_of_steps(Simulation& simulation, int steps) {
  MeanStep mean{.steps = steps};
  const WorkCounts before = work_counter.so_far();
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) {
    const StepRecord record = simulation.step();
    ForceCost& force = mean.sum.force;
    for (double ForceCost::*const time :
         {&ForceCost::keys, &ForceCost::sort, &ForceCost::build, &ForceCost::groups,
          &ForceCost::moments, &ForceCost::walk}) {
      force.*time += record.force.*time;
    }
    force.counts += record.force.counts;
    force.group_count += record.force.group_count;
    mean.sum.predict += record.predict;
    mean.sum.correct += record.correct;
    mean.sum.total += record.total;
    mean.active += record.active;
    mean.rebuilds += record.rebuilt ? 1 : 0;
  }
  mean.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  mean.work = work_counter.so_far() - before;
  return mean;
}

/// Where the time of a step goes: seconds of every stage, and what the steps ask of the device, in
/// the mean of the steps of a round. The first round is not timed.
template <DeviceType Device>
BenchTables bench_steps(Device& device, const BenchTask& task) {
  const BenchInput& input = *task.input;
  SimulationOn<Device> simulation(device.another(), input.snapshot.particles, input.snapshot.time,
                                  input.force, task.steps);
  const std::vector<MeanStep> rounds =
      repeated(task.repeats, [&] { return round_of_steps(simulation, task.round_steps); });
  const auto mean = [&](auto of) {
    double sum = 0;
    for (const MeanStep& round : rounds) sum += round(double(of(round)));
    return sum / double(rounds.size());
  };
  const auto seconds = [&](auto of) {
    return spread_of(rounds, [=](const MeanStep& round) { return round(of(round)); });
  };
  const auto stage = [&](double ForceCost::*time) {
    return seconds([=](const MeanStep& round) { return round.sum.force.*time; });
  };
  using Round = const MeanStep&;
  BenchTables tables;
  tables.table.add(
      files::ReportRow()
          .put("particles", std::int64_t(input.snapshot.particles.size()))
          .put("active/step", mean([](Round round) { return round.active; }))
          .put("rebuilds/step", mean([](Round round) { return round.rebuilds; }))
          .put("groups/step", mean([](Round round) { return round.sum.force.group_count; }))
          .put("interactions/step",
               mean([](Round round) { return round.sum.force.counts.interactions(); }))
          .put("launches/step", mean([](Round round) { return round.work.launches; }))
          .put("waits/step", mean([](Round round) { return round.work.waits; }))
          .put("copied_bytes/step", mean([](Round round) { return round.work.copied_bytes; }))
          .put("predict_seconds", seconds([](Round round) { return round.sum.predict; }))
          .put("keys_seconds", stage(&ForceCost::keys))
          .put("sort_seconds", stage(&ForceCost::sort))
          .put("build_seconds", stage(&ForceCost::build))
          .put("groups_seconds", stage(&ForceCost::groups))
          .put("moments_seconds", stage(&ForceCost::moments))
          .put("walk_seconds", stage(&ForceCost::walk))
          .put("correct_seconds", seconds([](Round round) { return round.sum.correct; }))
          .put("step_seconds", seconds([](Round round) { return round.sum.total; }))
          .put("wall_seconds", seconds([](Round round) { return round.wall; })));
  return tables;
}

/// A setting with which particles are advanced, and what it needs.
struct Contender {
  std::string setting;
  std::string kind;  ///< fixed or rule
  ForceOptions force;
  StepOptions steps;

  std::vector<double> seconds{};  ///< per step, round by round
  double time = 0;                ///< simulated in all timed rounds
  std::uint64_t timed_steps = 0;
  std::uint64_t rebuilds = 0;      ///< in the timed steps
  std::uint64_t interactions = 0;  ///< the same
  double group_extent = 0;         ///< of the last step

  /// Seconds of a step, median of the rounds.
  double per_step() const { return files::spread_of(seconds).median; }
};

/// Advances the same particles with all settings side by side, `task.round_steps` of each in turn.
/// The first round is not timed: settings that tune themselves do so there. Fixed settings that are
/// `hopeless` times slower there than the fastest are left out of the other rounds and of the
/// result.
template <DeviceType Device>
std::vector<Contender> race(const Device& device, const BenchTask& task,
                            const std::vector<Contender>& contenders) {
  constexpr double hopeless = 3;
  const files::Snapshot& start = task.input->snapshot;
  const int steps = task.round_steps;
  std::vector<std::unique_ptr<Simulation>> simulations;
  std::vector<Contender> racing;
  double best = 0;
  for (const Contender& one : contenders) {
    auto simulation = std::make_unique<SimulationOn<Device>>(device.another(), start.particles,
                                                             start.time, one.force, one.steps);
    double seconds = 0;
    int step = 0;
    const bool may_fail = one.kind == "fixed" && best > 0;
    for (; step < steps && !(may_fail && seconds > hopeless * best); ++step) {
      seconds += simulation->step().total;
    }
    if (step < steps) continue;
    best = best == 0 ? seconds : std::min(best, seconds);
    simulations.push_back(std::move(simulation));
    racing.push_back(one);
  }
  for (int round = 0; round < task.repeats; ++round) {
    for (std::size_t k = 0; k < racing.size(); ++k) {
      Contender& own = racing[k];
      double seconds = 0;
      for (int step = 0; step < steps; ++step) {
        const StepRecord record = simulations[k]->step();
        seconds += record.total;
        own.time += record.dt;
        own.rebuilds += record.rebuilt ? 1 : 0;
        own.interactions += record.force.counts.interactions();
        own.group_extent = record.force.group_extent;
      }
      own.seconds.push_back(seconds / steps);
      own.timed_steps += std::uint64_t(steps);
    }
  }
  return racing;
}

/// The smallest time of a step with a fixed setting.
inline double best_fixed(const std::vector<Contender>& racing) {
  double best = 0;
  for (const Contender& one : racing) {
    if (one.kind == "fixed" && (best == 0 || one.per_step() < best)) best = one.per_step();
  }
  return best;
}

/// Time of a step if one tree serves 1, 2, 3, 4, 6, 8, ... 64 steps, and by each rule that
/// decides this itself; without the intervals that are much too long.
template <DeviceType Device>
BenchTables bench_rebuild(Device& device, const BenchTask& task) {
  const ForceOptions& force = task.input->force;
  std::vector<Contender> contenders;
  for (const int interval : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
    contenders.push_back({"interval-" + std::to_string(interval), "fixed", force, task.steps});
    contenders.back().steps.rebuild_interval = interval;
  }
  for (const auto& [name, rule] : rebuild_rules) {
    contenders.push_back({name, "rule", force, task.steps});
    contenders.back().steps.rebuild_interval = 0;
    contenders.back().steps.rebuild_policy = rebuild_policy(rule);
  }
  const std::vector<Contender> racing = race(device, task, contenders);
  const double best = best_fixed(racing);
  const auto particles = double(task.input->snapshot.particles.size());
  BenchTables tables;
  for (const Contender& one : racing) {
    const auto steps = double(one.timed_steps);
    tables.table.add(files::ReportRow()
                         .put("setting", one.setting)
                         .put("kind", one.kind)
                         .put("steps", one.timed_steps)
                         .put("seconds_per_step", files::spread_of(one.seconds))
                         .put("seconds_per_time", one.per_step() * steps / one.time)
                         .put("rebuilds", one.rebuilds)
                         .put("mean_interval", steps / double(one.rebuilds > 0 ? one.rebuilds : 1))
                         .put("pairs/particle/step", double(one.interactions) / (steps * particles))
                         .put("seconds_over_best", one.per_step() / best));
  }
  return tables;
}

/// Time of a step without a limit to the extent of groups, with limits half an octave apart from
/// the largest extent to half of the geometric mean, and with the limit that is found by trial.
template <DeviceType Device>
BenchTables bench_extent(Device& device, const BenchTask& task) {
  const BenchInput& input = *task.input;
  GroupExtents extents;
  {
    BenchInput usual{input.snapshot, input.force};
    usual.force.variation = nullptr;
    BenchSystem<Device> system(device, usual);
    system.force();
    extents = group_extents(device, system.solver().last_groups());
  }
  std::vector<Contender> contenders;
  const auto add = [&](const char* setting, const char* kind, float extent, bool tune_extent) {
    ForceVariant variant = input.variant;
    variant.extent = extent;
    variant.tune_extent = tune_extent;
    contenders.push_back({setting, kind, input.force, task.steps});
    contenders.back().force.variation = variation(variant);
  };
  add("none", "fixed", 0, false);
  const int limits = int(std::ceil(2 * (extents.largest_log2 - extents.mean_log2 + 1)));
  for (int k = 0; k < limits; ++k) {
    add("limit", "fixed", float(std::exp2(extents.largest_log2 - 0.5 * k)), false);
  }
  add("auto", "rule", 0, true);
  const std::vector<Contender> racing = race(device, task, contenders);
  const double best = best_fixed(racing);
  BenchTables tables;
  for (const Contender& one : racing) {
    tables.table.add(files::ReportRow()
                         .put("setting", one.setting)
                         .put("kind", one.kind)
                         .put("group_extent", one.group_extent)
                         .put("steps", one.timed_steps)
                         .put("seconds_per_step", files::spread_of(one.seconds))
                         .put("seconds_over_best", one.per_step() / best));
  }
  return tables;
}

}  // namespace gothic::detail
