#include "run/force_timing.hpp"

#include <cstdint>

namespace gothic {

files::Attributes timing_of(const TreeForces& found, int threads) {
  const ForceCost& cost = found.cost;
  return {{"keys", cost.keys},
          {"sort", cost.sort},
          {"build", cost.build},
          {"groups", cost.groups},
          {"moments", cost.moments},
          {"walk", cost.walk},
          {"bootstrap", found.bootstrap_seconds},
          {"interactions", std::int64_t(cost.interactions)},
          {"cells_judged", std::int64_t(cost.cells_judged)},
          {"groups_count", std::int64_t(cost.group_count)},
          {"threads", std::int64_t(threads)}};
}

files::Attributes timing_of(const DirectForces& found, int threads) {
  return {{"direct", found.seconds},
          {"interactions", std::int64_t(found.interactions)},
          {"threads", std::int64_t(threads)}};
}

}  // namespace gothic
