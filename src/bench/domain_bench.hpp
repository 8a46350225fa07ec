#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/divided_system.hpp"
#include "bench/forces.hpp"
#include "bench/prediction.hpp"
#include "bench/timing.hpp"

/// Domains on one device, as many ranks would have them.
namespace gothic::detail {

template <DeviceType Device>
WholeTimes whole_times(Device& device, BenchSystem<Device>& system, int repeats) {
  const auto runs = repeated(repeats, [&] { return time_stages(device, system); });
  WholeTimes times;
  for (std::size_t k = 0; k < runs.front().size(); ++k) {
    const double seconds = spread_of(runs, [k](const auto& run) { return run[k].seconds; }).median;
    const std::string name = runs.front()[k].name;
    if (name == "keys") times.keys = seconds;
    if (name == "sort") times.sort = seconds;
    if (name == "predict") times.predict = seconds;
    if (name == "correct") times.correct = seconds;
  }
  return times;
}

/// Numbers of at most `most` domains, evenly spread.
inline std::vector<std::size_t> spread_domains(std::size_t domains, std::size_t most) {
  const std::size_t count = std::min(domains, most);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < count; ++k) chosen.push_back((k * domains + domains / 2) / count);
  return chosen;
}

/// Passes essential trees from and to a domain, and finds its forces.
template <DeviceType Device>
DomainMeasures measure_domain(DividedSystem<Device>& divided, std::size_t domain, int repeats) {
  const auto runs = repeated(repeats, [&] {
    DomainMeasures own;
    own.given = divided.give(domain, own.passing);
    own.taken = divided.take(domain, own.passing);
    const ForceCost force = divided.force(domain);
    own.force = force.moments + force.groups + force.walk;
    own.pairs = force.counts.template equivalent_pairs<typename Device::Defaults>();
    return own;
  });
  DomainMeasures found = runs.back();
  found.force = spread_of(runs, &DomainMeasures::force).median;
  for (double PassingTimes::*const seconds : passing_times) {
    const auto of = [=](const DomainMeasures& own) { return own.passing.*seconds; };
    found.passing.*seconds = spread_of(runs, of).median;
  }
  return found;
}

/// Divides a system into domains and measures them.
/// \param cost [n] of the particles, in pairs
/// \param time that a step takes
template <DeviceType Device>
DivisionMeasures measure_division(Device& device, BenchSystem<Device>& system,
                                  const ForceOptions& options, const float* cost, int domains,
                                  double time, int repeats) {
  constexpr std::size_t most_timed = 32;
  const auto begins = equal_domains(device, system.forest().keys(), cost, domains);
  DividedSystem<Device> divided(device, system, options, begins, time, repeats);
  DivisionMeasures found;
  found.domains = domains;
  found.particles_mean = double(system.size()) / domains;
  found.build = divided.build_seconds() / domains;
  found.outline = domains > 1 ? divided.outline_seconds() / domains : 0;
  found.movers = double(movers(device, system, cost, begins, time)) / domains;
  std::vector<double> costs;
  double all = 0;
  for (std::size_t d = 0; d < divided.size(); ++d) {
    const Range own = divided.particles(d);
    costs.push_back(sum_of(device, cost + own.first, own.count));
    all += costs.back();
    found.particles_largest = std::max(found.particles_largest, own.count);
    found.outlines += std::uint32_t(divided.outlines(d));
  }
  if (all > 0) found.cost_imbalance = *std::ranges::max_element(costs) * domains / all;
  const std::vector<std::size_t> timed = spread_domains(divided.size(), most_timed);
  for (const std::size_t d : timed) {
    found.timed.push_back(measure_domain(divided, d, repeats));
    found.timed.back().cost = costs[d];
    for (double PassingTimes::*const seconds : passing_times) {
      found.passing.*seconds += found.timed.back().passing.*seconds / double(timed.size());
    }
  }
  if (domains == 1) found.passing = {};
  return found;
}

/// Puts what is predicted, with the efficiency: the seconds of one domain over P times the
/// seconds of P domains.
inline void put(files::ReportRow& row, const std::string& name, const Predicted& predicted,
                const Predicted& of_one, int domains, const Network& network) {
  const double seconds = predicted.seconds(network);
  row.put(name + "_compute_seconds", predicted.compute)
      .put(name + "_messages", predicted.messages)
      .put(name + "_bytes", predicted.bytes)
      .put(name + "_seconds", seconds)
      .put(name + "_efficiency", of_one.seconds(network) / (domains * seconds));
}

inline files::ReportRow division_row(const DivisionMeasures& division, const MovedBytes& moved) {
  files::ReportRow row;
  const auto put = [&](const std::string& name, auto of) {
    const MeanAndLargest values(division.timed, of);
    row.put(name + "_mean", values.mean).put(name + "_largest", values.largest);
  };
  const MeanAndLargest pairs(division.timed, &DomainMeasures::pairs);
  const MeanAndLargest cost(division.timed, &DomainMeasures::cost);
  const MeanAndLargest force(division.timed, &DomainMeasures::force);
  row.put("domains", division.domains)
      .put("timed_domains", division.timed.size())
      .put("particles_mean", division.particles_mean)
      .put("particles_largest", division.particles_largest)
      .put("cost_imbalance", division.cost_imbalance)
      .put("pairs_over_one_tree", cost.mean > 0 ? pairs.mean / cost.mean : 1);
  put("remote_cells", [](const auto& own) { return own.taken.cells; });
  put("remote_particles", [](const auto& own) { return own.taken.particles; });
  put("opened_trees", [](const auto& own) { return own.taken.opened; });
  put("received_bytes", [](const auto& own) { return own.taken.value_bytes; });
  put("sent_bytes", [](const auto& own) { return own.given.value_bytes; });
  put("topology_bytes", [](const auto& own) { return own.taken.topology_bytes; });
  row.put("outline_bytes", outline_bytes(division))
      .put("moved_bytes", division.movers * double(moved.bytes))
      .put("force_seconds", force.mean)
      .put("pack_seconds", division.passing.pack)
      .put("unpack_seconds", division.passing.unpack)
      .put("build_seconds", division.build)
      .put("prune_seconds", division.outline + division.passing.prune)
      .put("attach_seconds", division.passing.attach);
  return row;
}

/// 1, 2, 4, ... domains of a system, and how fast as many ranks would be.
template <DeviceType Device>
BenchTables bench_domains(Device& device, const BenchTask& task) {
  constexpr int most_domains = 4096;
  constexpr std::uint32_t fewest_particles = 64;  // mean of a domain
  BenchInput input = *task.input;
  input.force.placement = Placement::centered;  // as on several ranks
  BenchSystem<Device> system(device, input);
  const std::uint32_t n = system.size();
  system.force();
  system.bodies().acceleration.swap(system.bodies().new_acceleration);
  const auto cost = system.costs();
  const StepRule rule{StepRule::Mode::shared, task.steps.rule.eta, input.force.softening};
  const double step = step_of(shortest_step(view_of(device, system.bodies()), rule), rule);
  std::vector<DivisionMeasures> divisions;
  for (int domains = 1; domains <= most_domains; domains *= 2) {
    if (domains > 1 && n / std::uint32_t(domains) < fewest_particles) break;
    divisions.push_back(measure_division(device, system, input.force, cost.data(), domains,
                                         std::isfinite(step) ? step : 0, task.repeats));
  }
  const WholeTimes whole = whole_times(device, system, task.repeats);
  const MovedBytes moved(system.bodies());
  const Predicted step_of_one = predict_step(divisions.front(), whole),
                  construction_of_one = predict_construction(divisions.front(), whole, moved);
  BenchTables tables;
  for (const DivisionMeasures& division : divisions) {
    files::ReportRow row = division_row(division, moved);
    put(row, "step", predict_step(division, whole), step_of_one, division.domains, task.network);
    put(row, "construction", predict_construction(division, whole, moved), construction_of_one,
        division.domains, task.network);
    tables.table.add(row);
  }
  return tables;
}

}  // namespace gothic::detail
