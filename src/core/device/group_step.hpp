#pragma once

#include <cstdint>

namespace gothic {

/// Size of the groups of a step from so many active particles per warp on.
struct GroupStep {
  double active_per_warp;
  std::uint32_t size;
};

}  // namespace gothic
