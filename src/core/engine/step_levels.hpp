#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace gothic {

/// Particles whose steps have the same length.
struct StepLevel {
  double step = 0;  ///< in units of time
  std::uint32_t particles = 0;
};

/// All particles by their steps, the shortest first; each step is a power of two times the ones
/// before it.
using StepLevels = std::vector<StepLevel>;

/// Time after which the work of the steps repeats itself but for a tenth: the shortest step beyond
/// which all longer ones cause at most a tenth of the forces. A particle of step dt has a share of
/// 1 / dt in them. 0 without particles.
inline double work_period(const StepLevels& levels) {
  constexpr double share = 0.9;
  double all = 0;
  for (const StepLevel& level : levels) all += level.particles / level.step;
  double sum = 0;
  for (const StepLevel& level : levels) {
    sum += level.particles / level.step;
    if (sum >= share * all) return level.step;
  }
  return 0;
}

}  // namespace gothic
