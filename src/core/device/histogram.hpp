#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

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

/// A number for each bin: 32 bits where F returns a bin, 64 bits where it returns a WeighedBin.
template <std::size_t bins, class F>
using Histogram =
    std::array<decltype(weight_of(std::declval<std::invoke_result_t<F, std::size_t>>())), bins>;

}  // namespace gothic
