#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/device/annotations.hpp"
#include "core/device/bits.hpp"
#include "core/device/vec4.hpp"

namespace gothic {

/// Times as integer counts of a tick, so that block boundaries are exact.
///
/// A particle has a level l: its step is 2^l ticks, and it is synchronised at multiples of its step
/// (McMillan 1986). So its level and the time of the system tell when it was synchronised last and
/// when it is due next. With adaptive steps the tick is a power of two of the unit of time; with a
/// fixed step it is that step, and all levels are 0.
struct TimeGrid {
  static constexpr std::int64_t never = std::int64_t(1) << 62;

  double tick = 1;           ///< in units of time
  int top = 0;               ///< highest level
  std::int64_t end = never;  ///< no step goes beyond

  /// Powers of two between the longest step and the tick.
  static constexpr int levels = 36;

  /// \param longest the longest step, rounded down to a power of two; 0, as without softening or
  /// where accelerations leave single precision, stands for the shortest that a double can be
  static TimeGrid adaptive(double longest) {
    const double positive = std::max(longest, std::numeric_limits<double>::min());
    return {std::ldexp(1.0, std::ilogb(positive) - levels), levels};
  }
  static TimeGrid fixed(double step) { return {step, 0}; }

  double time(std::int64_t ticks) const { return double(ticks) * tick; }

  /// The highest level whose step is not above `step` and may start at `now`: a longer step is
  /// taken only where its own grid is synchronised.
  GOTHIC_HD int fit(double step, std::int64_t now) const {
    const double wanted = step / tick;
    int level = top;
    if (wanted < double(std::int64_t(1) << top)) {
      level = wanted < 1 ? 0 : bit_width(std::uint64_t(wanted)) - 1;
    }
    const int grid = countr_zero(std::uint64_t(now));
    return grid < level ? grid : level;
  }

  /// When a particle of this level was synchronised last, if the system is at `now`.
  GOTHIC_HD static std::int64_t last(int level, std::int64_t now) { return now >> level << level; }
  /// When it is due next.
  GOTHIC_HD std::int64_t due(int level, std::int64_t now) const {
    const std::int64_t next = last(level, now) + (std::int64_t(1) << level);
    return next < end ? next : end;
  }
};

/// The square of the acceleration that sets the step of a particle, a_s^2. In Miki & Umemura (2017)
/// it is that of the present acceleration. But inside a core the pulls cancel. A particle that
/// crosses one would take its longest steps there, and would gain energy every time:
/// tests/core/dynamics/core_orbits_test.cpp. So a particle remembers strong accelerations: a_s^2
/// becomes max(a^2, (1 - f) a_s^2 + f a^2) in each of its steps.
/// \param before a_s^2 at the start of the step; 0 before the first
/// \param acceleration2 a^2 at its end
/// \param fading f, from 0 to 1; 1: as published
GOTHIC_HD inline float remembered2(float before, float acceleration2, float fading) {
  const float faded = (1 - fading) * before + fading * acceleration2;
  return faded > acceleration2 ? faded : acceleration2;
}

/// a_s^2 of a particle, also before its first step.
/// \param acceleration x, y, z, \param velocity w: see `remembered2`
GOTHIC_HD inline float step_acceleration2(const Vec4& acceleration, const Vec4& velocity) {
  return remembered2(velocity.w, squared_length(acceleration), 0);
}

/// Step of a particle, eta sqrt(eps / a), before it is rounded to a power of two.
/// \param acceleration2 a^2; simulations give a_s^2, see `remembered2`
GOTHIC_HD inline double time_step(float acceleration2, double eta, double softening) {
  return eta * std::sqrt(softening / std::sqrt(double(acceleration2)));
}

/// Particles on each level of a time grid.
class Population {
 public:
  static constexpr int levels = TimeGrid::levels + 1;
  using Counts = std::array<std::uint32_t, levels>;

  /// What is due at one time: levels as bits of a mask, and their particles.
  struct Due {
    std::int64_t time;
    std::uint64_t levels;
    std::uint32_t particles;
  };

  /// The next time at which particles are due, if the system is at `now`, and which.
  Due next(const TimeGrid& grid, std::int64_t now) const {
    Due due{grid.end, 0, 0};
    for (int level = 0; level < levels; ++level) {
      if (counts_[level] > 0) due.time = std::min(due.time, grid.due(level, now));
    }
    for (int level = 0; level < levels; ++level) {
      if (counts_[level] == 0 || grid.due(level, now) != due.time) continue;
      due.levels |= std::uint64_t(1) << level;
      due.particles += counts_[level];
    }
    return due;
  }

  const Counts& counts() const { return counts_; }

  /// Particles of some levels, which are bits of a mask.
  std::uint32_t particles(std::uint64_t of) const {
    std::uint32_t sum = 0;
    for (int level = 0; level < levels; ++level) sum += of >> level & 1 ? counts_[level] : 0;
    return sum;
  }

  /// Puts the particles of the levels `due` on other levels.
  void move(std::uint64_t due, const Counts& chosen) {
    for (int level = 0; level < levels; ++level) {
      if (due >> level & 1) counts_[level] = 0;
      counts_[level] += chosen[level];
    }
  }

 private:
  Counts counts_{};
};

}  // namespace gothic
