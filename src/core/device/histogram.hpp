#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"

/// What devices count in histograms.
namespace gothic {

/// A bin, and what is added to it. Whole numbers, so that the order of the sum does not matter.
struct WeighedBin {
  int bin;
  std::uint64_t weight;
};

GOTHIC_HD inline int bin_of(int bin) { return bin; }
GOTHIC_HD inline int bin_of(const WeighedBin& one) { return one.bin; }
GOTHIC_HD inline std::uint32_t weight_of(int) { return 1; }
GOTHIC_HD inline std::uint64_t weight_of(const WeighedBin& one) { return one.weight; }

}  // namespace gothic
