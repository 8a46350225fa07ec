#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"

namespace gothic::detail {

/// The walk of some active particles by groups of one size.
struct SharingTime {
  std::uint32_t group_size;
  bool chosen;  ///< by the solver
  io::Spread seconds;
  ForceCost cost;
};

/// Walks of all particles, half of them, a quarter ..., those with the largest acceleration: the
/// ones that block steps make active.
template <DeviceType Device>
io::ReportTable bench_sharing(Device& device, const BenchTask& task) {
  using Warp = typename Device::Warp;
  constexpr std::uint32_t fewest = 64, largest = 64;
  constexpr int per_lane = Device::Defaults::most_per_lane;
  std::vector<std::uint32_t> sizes;  // 0: the solver chooses
  for (std::uint32_t size = std::min<std::uint32_t>(largest, per_lane * Warp::width); size > 0;
       size /= 2) {
    if (task.force.group_size == 0 || task.force.group_size == size) sizes.push_back(size);
  }
  sizes.push_back(0);

  BenchSystem<Device> system(device, task.snapshot.particles, task.force);
  system.force_on_all();
  std::vector<Vec4> acceleration(system.size());
  system.bodies().new_acceleration.download(acceleration);
  const std::vector<std::uint32_t> rank = ranks_by_acceleration(acceleration);
  io::ReportTable table;
  for (std::uint32_t active = system.size();; active /= 2) {
    std::vector<std::uint32_t> host;
    for (std::uint32_t i = 0; i < system.size(); ++i) {
      if (rank[i] < active) host.push_back(i);
    }
    typename Device::template Buffer<std::uint32_t> targets(active);
    targets.upload(host);
    std::vector<SharingTime> times;
    for (const std::uint32_t size : sizes) {
      system.solver().set_group_size(size);
      const auto costs =
          repeated(task.repeats, [&] { return system.force_on(targets.data(), active); });
      times.push_back({system.solver().chosen_group_size(active), size == 0,
                       spread_of(costs, &ForceCost::walk), costs.back()});
    }
    const auto median = [](const SharingTime& time) { return time.seconds.median; };
    const double best = median(*std::ranges::min_element(times, {}, median));
    for (const SharingTime& time : times) {
      table.add(io::ReportRow()
                    .put("active", active)
                    .put("choice", std::string(time.chosen ? "auto" : "given"))
                    .put("group_size", time.group_size)
                    .put("lanes_sharing", lanes_sharing<Warp, per_lane>(time.group_size))
                    .put("groups", time.cost.group_count)
                    .put("interactions", time.cost.interactions)
                    .put("seconds", time.seconds)
                    .put("seconds_over_best", median(time) / best)
                    .put("interactions/s", double(time.cost.interactions) / time.seconds.median));
    }
    if (active / 2 < fewest) return table;
  }
}

}  // namespace gothic::detail
