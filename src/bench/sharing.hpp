#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"

namespace gothic::detail {

/// How a walk gets the size of its groups.
struct SharingChoice {
  std::string_view name;
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

/// The walks of some active particles, one row for each choice.
template <DeviceType Device>
void add_sharing_rows(BenchSystem<Device>& system, const std::vector<SharingChoice>& choices,
                      const typename Device::template Buffer<std::uint32_t>& active, int repeats,
                      files::ReportTable& table) {
  const auto count = std::uint32_t(active.size());
  auto& solver = system.solver();
  const auto choose = [&](const SharingChoice& choice) {
    ForceOptions options = solver.settings().options();
    options.group_size = choice.group_size;
    options.sharing = 0;
    options.exact_group_size = choice.exact_group_size;
    solver.set(options);
  };
  const auto costs = in_turn(repeats, choices, [&](const SharingChoice& choice) {
    choose(choice);
    return system.force_on(active);
  });
  const auto seconds_of_choice = [&](std::size_t c) {
    return spread_of(costs[c], &ForceCost::walk);
  };
  const auto best_of = [&](std::string_view name) {
    double best = 0;
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const double seconds = seconds_of_choice(c).median;
      if (choices[c].name == name && (best == 0 || seconds < best)) best = seconds;
    }
    return best;
  };
  for (std::size_t c = 0; c < choices.size(); ++c) {
    choose(choices[c]);
    const files::Spread seconds = seconds_of_choice(c);
    const ForceCost& cost = costs[c].back();
    const double best = best_of(choices[c].name == "given" ? "given" : "equal");
    table.add(files::ReportRow()
                  .put("active", count)
                  .put("choice", std::string(choices[c].name))
                  .put("group_size", solver.settings().group_size(count))
                  .put("lanes_sharing", cost.sharing)
                  .put("groups", cost.group_count)
                  .put("interactions", cost.counts.interactions())
                  .put("seconds", seconds)
                  .put("seconds_over_best", seconds.median / best)
                  .put("interactions/s", double(cost.counts.interactions()) / seconds.median));
  }
}

/// Walks of all particles, half of them, a quarter ..., those with the largest acceleration: the
/// ones that block steps make active.
template <DeviceType Device>
BenchTables bench_sharing(Device& device, const BenchTask& task) {
  constexpr std::uint32_t fewest = 64;
  BenchSystem<Device> system(device, *task.input);
  const std::vector<std::uint32_t> order = system.by_acceleration();
  const std::vector<SharingChoice> choices = sharing_choices<Device>(system.settings().options());
  BenchTables tables;
  for (std::uint32_t active = system.size();; active /= 2) {
    add_sharing_rows(system, choices, first_of<Device>(order, active), task.repeats, tables.table);
    if (active / 2 < fewest) return tables;
  }
}

}  // namespace gothic::detail
