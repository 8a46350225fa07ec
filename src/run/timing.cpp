#include "run/timing.hpp"

#include <cstdint>

namespace gothic {

files::Attributes timing_of(const ForceCost& cost, double bootstrap, int threads) {
  return {{"keys", cost.keys},
          {"sort", cost.sort},
          {"build", cost.build},
          {"groups", cost.groups},
          {"moments", cost.moments},
          {"walk", cost.walk},
          {"bootstrap", bootstrap},
          {"interactions", std::int64_t(cost.interactions)},
          {"cells_judged", std::int64_t(cost.cells_judged)},
          {"groups_count", std::int64_t(cost.group_count)},
          {"threads", std::int64_t(threads)}};
}

files::Attributes timing_of(const DirectResult& result) {
  return {{"direct", result.seconds},
          {"interactions", std::int64_t(result.interactions)},
          {"threads", std::int64_t(result.threads)}};
}

}  // namespace gothic
