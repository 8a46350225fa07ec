#include "run/force_timing.hpp"

#include <cstdint>
#include <string>

#include "core/device/work_counts.hpp"

namespace gothic {

files::Attributes work_of_process() {
  const WorkCounts counts = work_counter.so_far();
  return {{"launches", std::int64_t(counts.launches)},
          {"waits", std::int64_t(counts.waits)},
          {"copied_bytes", std::int64_t(counts.copied_bytes)},
          {"allocations", std::int64_t(counts.allocations)}};
}

files::Attributes timing_of(const TreeForces& found, int threads) {
  const ForceCost& cost = found.cost;
  files::Attributes timing = {{"keys", cost.keys},
                              {"sort", cost.sort},
                              {"build", cost.build},
                              {"groups", cost.groups},
                              {"moments", cost.moments},
                              {"walk", cost.walk},
                              {"bootstrap", found.bootstrap_seconds},
                              {"interactions", std::int64_t(cost.counts.interactions())},
                              {"cells_judged", std::int64_t(cost.counts.cells_judged)},
                              {"groups_count", std::int64_t(cost.group_count)},
                              {"threads", std::int64_t(threads)}};
  if (!found.errors.empty()) {
    timing["choice"] = found.choice_seconds;
    timing["accuracy"] = double(found.acceptance.accuracy);
    timing["order"] = std::int64_t(found.acceptance.order);
    timing["error_99"] = found.errors.front().percentile_99;
  }
  for_each_order<Order::quadrupole, highest_order>([&]<Order order>() {
    timing[std::string(order_names[int(order)]) + "_interactions"] =
        std::int64_t(cost.counts.pairs[order]);
  });
  return timing;
}

files::Attributes timing_of(const DirectForces& found, int threads) {
  return {{"direct", found.seconds},
          {"interactions", std::int64_t(found.interactions)},
          {"threads", std::int64_t(threads)}};
}

}  // namespace gothic
