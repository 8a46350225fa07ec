#pragma once

#include "core/device/annotations.hpp"

namespace gothic {

/// Turns a number into one that the compiler knows: calls `f.operator()<K>()` for the smallest
/// power of two K of first, 2 first, ... last that is at least `wanted`, or for last.
template <int first, int last, class F>
GOTHIC_HD inline void with_power_of_two(int wanted, const F& f) {
  if constexpr (first < last) {
    if (wanted > first) {
      with_power_of_two<2 * first, last>(wanted, f);
      return;
    }
  }
  f.template operator()<first>();
}

}  // namespace gothic
