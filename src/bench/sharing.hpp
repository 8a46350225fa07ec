#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"

namespace gothic::detail {

/// How a walk gets the size of its groups.
struct SharingChoice {
  const char* name;
  std::uint32_t group_size;        ///< as --group-size; 0 for the device's
  std::uint32_t exact_group_size;  ///< see ForceOptions
};

/// Groups of every size that the device takes, or of the one that is asked for.
template <DeviceType Device>
std::vector<SharingChoice> sharing_choices(const ForceOptions& force) {
  constexpr std::uint32_t largest = 64;
  constexpr std::uint32_t most = Device::Defaults::most_per_lane * Device::Warp::width;
  std::vector<SharingChoice> given, equal;
  for (std::uint32_t size = std::min(largest, most); size > 0; size /= 2) {
    if (force.group_size != 0 && force.group_size != size) continue;
    given.push_back({"given", size, 0});
    equal.push_back({"equal", 0, size});
  }
  given.insert(given.end(), equal.begin(), equal.end());
  given.push_back({"auto", 0, 0});
  return given;
}

/// The walks of some active particles, one row for each choice. The choices take turns, so that
/// what disturbs the machine disturbs all of them.
template <DeviceType Device>
void add_sharing_rows(BenchSystem<Device>& system, const std::vector<SharingChoice>& choices,
                      const std::vector<std::uint32_t>& active, int repeats,
                      files::ReportTable& table) {
  const auto count = std::uint32_t(active.size());
  typename Device::template Buffer<std::uint32_t> targets(count);
  targets.upload(active);
  auto& solver = system.solver();
  const auto choose = [&](const SharingChoice& choice) {
    ForceOptions options = solver.options();
    options.group_size = choice.group_size;
    options.sharing = 0;
    options.exact_group_size = choice.exact_group_size;
    solver.set_options(options);
  };
  std::vector<std::vector<ForceCost>> costs(choices.size());
  for (int i = 0; i <= repeats; ++i) {
    for (std::size_t c = 0; c < choices.size(); ++c) {
      choose(choices[c]);
      const ForceCost cost = system.force_on(targets.data(), count);
      if (i > 0) costs[c].push_back(cost);
    }
  }
  const auto best_of = [&](const std::string& name) {
    double best = 0;
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const double seconds = spread_of(costs[c], &ForceCost::walk).median;
      if (choices[c].name == name && (best == 0 || seconds < best)) best = seconds;
    }
    return best;
  };
  for (std::size_t c = 0; c < choices.size(); ++c) {
    choose(choices[c]);
    const std::string name = choices[c].name;
    const files::Spread seconds = spread_of(costs[c], &ForceCost::walk);
    const ForceCost& cost = costs[c].back();
    table.add(
        files::ReportRow()
            .put("active", count)
            .put("choice", name)
            .put("group_size", solver.chosen_group_size(count))
            .put("lanes_sharing", solver.chosen_sharing(count))
            .put("groups", cost.group_count)
            .put("interactions", cost.interactions)
            .put("seconds", seconds)
            .put("seconds_over_best", seconds.median / best_of(name == "given" ? "given" : "equal"))
            .put("interactions/s", double(cost.interactions) / seconds.median));
  }
}

/// Walks of all particles, half of them, a quarter ..., those with the largest acceleration: the
/// ones that block steps make active.
template <DeviceType Device>
files::ReportTable bench_sharing(Device& device, const BenchTask& task) {
  constexpr std::uint32_t fewest = 64;
  BenchSystem<Device> system(device, task.snapshot.particles, task.force);
  const std::vector<std::uint32_t> rank = system.ranks();
  const std::vector<SharingChoice> choices = sharing_choices<Device>(system.solver().options());
  files::ReportTable table;
  for (std::uint32_t active = system.size();; active /= 2) {
    add_sharing_rows(system, choices, most_accelerated(rank, active), task.repeats, table);
    if (active / 2 < fewest) return table;
  }
}

}  // namespace gothic::detail
