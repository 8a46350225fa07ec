#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/dynamics/integrator.hpp"
#include "core/engine/accuracy_choice.hpp"
#include "core/engine/force_probe.hpp"
#include "core/observers/error_schedule.hpp"
#include "core/particles.hpp"

namespace gothic {

/// A simulation after a step, as its errors are sampled.
template <DeviceType Device>
struct SteppedBodies {
  Bodies<Device>& bodies;
  const TimeGrid& grid;
  std::int64_t now;      ///< in ticks
  std::int64_t step;     ///< number of steps so far
  bool synchronised;     ///< whether all particles have forces of this time
  std::uint32_t active;  ///< particles of the own rank that got forces in the last step
  Instant<Device> instant;
};

/// Samples the errors of a simulation's forces, and keeps the error that is asked for, if one is.
template <DeviceType Device>
class ErrorWatch {
 public:
  /// \param wanted options of the forces as they were given
  /// \param interval see ErrorSchedule
  ErrorWatch(Device& device, Communicator& ranks, const ForceOptions& wanted, int interval)
      : device_(device), ranks_(ranks), wanted_(wanted), schedule_(interval, wanted.error > 0) {}

  bool asks_for_error() const { return wanted_.error > 0; }

  /// Chooses the particles whose forces are summed.
  /// \param first place of the first particle in the input of all ranks
  void choose_particles(const Particles& particles, std::size_t first) {
    const std::uint32_t count = asks_for_error() ? sampled_for_choice : sampled_for_log;
    probe_.emplace(device_, ranks_,
                   error_sample(ranks_, particles.id, particles.component, first, count));
  }

  /// All that have particles, ascending; after choose_particles().
  const std::vector<ForceSample::Component>& components() const { return probe_->components(); }

  /// Sets the solver to the criterion that gives the error that is asked for.
  /// \param all targets of the first force
  void choose(const SteppedBodies<Device>& now, ForceSolver<Device>& solver, Forest<Device>& forest,
              const ForceTargets& all) {
    sum(now, forest);
    choice_ = choose_accuracy(device_, ranks_, *probe_, solver, forest, now.instant, all, wanted_,
                              now.bodies.new_acceleration);
  }
  /// Sets the solver to the criterion that was chosen, if one was.
  void take_choice(ForceSolver<Device>& solver) const {
    if (!asks_for_error()) return;
    solver.set(wanted_.with(choice_.acceptance));
  }

  /// Tells of the pairs of a step. Returns whether a sample is due after it.
  bool due(std::int64_t step, double pairs) { return schedule_.due(step, pairs, probe_->pairs()); }

  /// The sample that was taken after this step, or a new one.
  const ForceSample& sample(const SteppedBodies<Device>& now, ForceSolver<Device>& solver,
                            Forest<Device>& forest) {
    if (sample_.step != now.step) take_sample(now, solver, forest);
    return sample_;
  }
  /// Takes a sample. If the error has left the one that is asked for, the coming forces get another
  /// accuracy.
  void keep_error(const SteppedBodies<Device>& now, ForceSolver<Device>& solver,
                  Forest<Device>& forest) {
    take_sample(now, solver, forest);
    if (!asks_for_error()) return;
    const double found = force_errors(sample_).front().percentile_99;
    if (choice_.correct(wanted_.error, found)) take_choice(solver);
  }

  /// See named_state.hpp.
  void visit(NamedState& all) {
    all("schedule", schedule_);
    if (asks_for_error()) all("choice", choice_);
  }

 private:
  /// Sums the forces on the sampled particles at the present time, once a step.
  void sum(const SteppedBodies<Device>& now, const Forest<Device>& forest) {
    if (summed_ == now.step) return;
    summed_ = now.step;
    const Bodies<Device>& bodies = now.bodies;
    probe_->sum(bodies.size(), bodies.slot.data(), bodies.predicted.data(),
                forest.tree().view().particle_share, now.instant.time, wanted_);
  }
  void take_sample(const SteppedBodies<Device>& now, ForceSolver<Device>& solver,
                   Forest<Device>& forest);
  std::vector<Vec4> present_velocities(const SteppedBodies<Device>& now) const;

  Device& device_;
  Communicator& ranks_;
  ForceOptions wanted_;
  std::optional<ForceProbe<Device>> probe_;
  ErrorSchedule schedule_;
  AccuracyChoice choice_;
  std::int64_t summed_ = -1;  ///< step after which the forces were summed last
  ForceSample sample_;
};

template <DeviceType Device>
void ErrorWatch<Device>::take_sample(const SteppedBodies<Device>& now, ForceSolver<Device>& solver,
                                     Forest<Device>& forest) {
  typename Device::Timer timer(device_);
  Bodies<Device>& bodies = now.bodies;
  predict(device_, bodies, now.grid, now.now, now.now);
  sum(now, forest);
  const Vec4* found = bodies.acceleration.data();
  if (!now.synchronised) {
    ForceCost cost;
    solver.find_some(forest, now.instant, probe_->targets(), now.active,
                     bodies.new_acceleration.data(), timer, cost);
    found = bodies.new_acceleration.data();
  }
  sample_ = {.step = now.step,
             .time = now.instant.time,
             .components = probe_->components(),
             .forces = probe_->compared(found, present_velocities(now)),
             .acceptance = solver.settings().acceptance()};
  sample_.seconds = timer.finish();
}

/// Of the own sampled particles, which were synchronised at times of their own.
template <DeviceType Device>
std::vector<Vec4> ErrorWatch<Device>::present_velocities(const SteppedBodies<Device>& now) const {
  const ForceTargets targets = probe_->targets();
  const auto own = [&](const auto& values) {
    return downloaded_from(device_, values.data(), targets.places, targets.count);
  };
  const auto acceleration = own(now.bodies.acceleration);
  const auto level = own(now.bodies.level);
  std::vector<Vec4> velocity = own(now.bodies.velocity);
  for (std::size_t k = 0; k < velocity.size(); ++k) {
    const float dt = float(now.grid.time(now.now - TimeGrid::last(level[k], now.now)));
    const Vec4 v = velocity[k], a = acceleration[k];
    velocity[k] = {v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z, 0};
  }
  return velocity;
}

}  // namespace gothic
