#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "device/annotations.hpp"

namespace gothic {

/// Time of one particle, in ticks.
struct Clock {
  std::int64_t last = 0;  ///< when its position, velocity and acceleration were found
  std::int64_t due = 0;   ///< when they are wanted next
};

/// Times as integer counts of a tick, so that block boundaries are exact.
///
/// With adaptive steps the tick is a power of two of the unit of time, and steps are powers of two
/// of the tick: the levels of McMillan (1986). With a fixed step the tick is that step.
struct TimeGrid {
  double tick = 1;                           ///< in units of time
  std::int64_t largest = 1;                  ///< longest step in ticks, a power of two
  std::int64_t end = std::int64_t(1) << 62;  ///< no step goes beyond

  /// Powers of two between the longest step and the tick.
  static constexpr int levels = 36;

  /// \param longest the longest step, rounded down to a power of two
  static TimeGrid adaptive(double longest) {
    return {std::ldexp(1.0, std::ilogb(longest) - levels), std::int64_t(1) << levels};
  }
  static TimeGrid fixed(double step) { return {step, 1}; }

  double time(std::int64_t ticks) const { return double(ticks) * tick; }

  /// The longest power of two of ticks that is not above `step` and may start at `now`: a longer
  /// step is taken only where its own grid is synchronised.
  GOTHIC_HD std::int64_t fit(double step, std::int64_t now) const {
    const double wanted = step / tick;
    std::int64_t ticks = largest;
    if (wanted < double(largest)) {
      ticks = wanted < 1 ? 1 : std::int64_t(std::bit_floor(std::uint64_t(wanted)));
    }
    const std::int64_t grid = now & -now;
    return grid != 0 && grid < ticks ? grid : ticks;
  }

  GOTHIC_HD std::int64_t due(std::int64_t now, std::int64_t ticks) const {
    return now + ticks < end ? now + ticks : end;
  }
};

/// Step of a particle, eta sqrt(eps / |a|), before it is rounded to a power of two.
GOTHIC_HD inline double time_step(float acceleration2, double eta, double softening) {
  return eta * std::sqrt(softening / std::sqrt(double(acceleration2)));
}

}  // namespace gothic
