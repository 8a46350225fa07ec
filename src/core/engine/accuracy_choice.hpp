#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/engine/accuracy_search.hpp"
#include "core/engine/force_probe.hpp"

namespace gothic {

/// Median length of the exact accelerations; 1 if there are none.
inline double typical_acceleration(const std::vector<SampledForce>& forces) {
  std::vector<double> lengths;
  for (const SampledForce& one : forces) {
    lengths.push_back(std::hypot(one.exact[0], one.exact[1], one.exact[2]));
  }
  if (lengths.empty()) return 1;
  const auto middle = lengths.begin() + std::ptrdiff_t(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle > 0 ? *middle : 1;
}

/// Sets a solver to the criterion that gives the error that is asked for, on particles that have
/// not moved since their trees were built.
/// \param probe that has summed the forces at the present time
/// \param all targets of the coming force
/// \param wanted options of the force, with the error
/// \param scratch [n] overwritten
template <DeviceType Device>
AccuracyChoice choose_accuracy(Device& device, Communicator& ranks, const ForceProbe<Device>& probe,
                               ForceSolver<Device>& solver, Forest<Device>& forest,
                               const Instant<Device>& now, ForceTargets all,
                               const ForceOptions& wanted,
                               typename Device::template Buffer<Vec4>& scratch) {
  all.cost = nullptr;
  const auto trial = [&](const Acceptance& acceptance) {
    solver.set(wanted.with(acceptance));
    ForceCost cost;
    typename Device::Timer timer(device);
    // Walks for single particles among few are dearer than walks for all.
    if (probe.sampled() * Device::Defaults::group_size > 2 * probe.particles()) {
      solver.find(forest, now, all, scratch.data(), timer, cost);
    } else {
      solver.find_some(forest, now, probe.targets(), all.count, scratch.data(), timer, cost);
    }
    timer.finish();
    const double pairs =
        solver.counted().get().template equivalent_pairs<typename Device::Defaults>();
    const ForceSample sample{.components = probe.components(),
                             .forces = probe.compared(scratch.data())};
    return AccuracyTrial{force_errors(sample).front().percentile_99,
                         combined(ranks, pairs, std::plus<>())};
  };
  const double typical = typical_acceleration(probe.exact());
  const AccuracyChoice choice = search_accuracy(wanted.acceptance, wanted.error, typical, trial);
  solver.set(wanted.with(choice.acceptance));
  return choice;
}

}  // namespace gothic
