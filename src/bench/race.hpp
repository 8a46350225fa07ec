#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/timing.hpp"
#include "core/engine/simulation_on.hpp"

namespace gothic::detail {

/// One of several ways to advance the same particles.
struct Contender {
  std::string setting;
  std::string kind;  ///< fixed or rule
  ForceOptions force;
  StepOptions steps;
};

/// What a contender needed.
struct RaceTime {
  Contender contender;
  std::vector<double> seconds{};   ///< per step, round by round
  double time = 0;                 ///< simulated in all timed rounds
  std::uint64_t steps = 0;         ///< timed
  std::uint64_t rebuilds = 0;      ///< in those steps
  std::uint64_t interactions = 0;  ///< the same
  StepRecord last{};

  /// Seconds of a step, median of the rounds.
  double per_step() const { return files::spread_of(seconds).median; }
};

/// Advances all contenders side by side, `steps` of each in turn. In the first round, which is not
/// timed, those that tune themselves do so; fixed settings that are `hopeless` times slower than
/// the fastest are left out of the others and of the result.
template <DeviceType Device>
std::vector<RaceTime> race(const Device& device, const files::Snapshot& start,
                           const std::vector<Contender>& contenders, int steps, int rounds) {
  constexpr double hopeless = 3;
  using Own = SimulationOn<Device>;
  std::vector<std::pair<std::unique_ptr<Own>, RaceTime>> racing;
  double best = 0;
  for (const Contender& one : contenders) {
    auto simulation =
        std::make_unique<Own>(device.another(), start.particles, start.time, one.force, one.steps);
    double seconds = 0;
    int step = 0;
    const bool may_fail = one.kind == "fixed" && best > 0;
    for (; step < steps && !(may_fail && seconds > hopeless * best); ++step) {
      seconds += simulation->step().total;
    }
    if (step < steps) continue;
    best = best == 0 ? seconds : std::min(best, seconds);
    racing.emplace_back(std::move(simulation), RaceTime{one});
  }
  for (int round = 0; round < rounds; ++round) {
    for (auto& [simulation, time] : racing) {
      double seconds = 0;
      for (int step = 0; step < steps; ++step) {
        time.last = simulation->step();
        seconds += time.last.total;
        time.time += time.last.dt;
        time.rebuilds += time.last.rebuilt ? 1 : 0;
        time.interactions += time.last.force.interactions;
      }
      time.seconds.push_back(seconds / steps);
      time.steps += std::uint64_t(steps);
    }
  }
  std::vector<RaceTime> times;
  for (auto& [simulation, time] : racing) times.push_back(std::move(time));
  return times;
}

/// The smallest time of a step with a fixed setting.
inline double best_fixed(const std::vector<RaceTime>& times) {
  double best = 0;
  for (const RaceTime& time : times) {
    if (time.contender.kind != "fixed") continue;
    if (best == 0 || time.per_step() < best) best = time.per_step();
  }
  return best;
}

}  // namespace gothic::detail
