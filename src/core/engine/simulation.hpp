#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/device/device_identity.hpp"
#include "core/device/launch_sizes.hpp"
#include "core/dynamics/integrator.hpp"
#include "core/dynamics/rebuild.hpp"
#include "core/engine/simulation_state.hpp"
#include "core/gravity/force_options.hpp"
#include "core/observers/diagnosis.hpp"
#include "core/observers/energy.hpp"
#include "core/observers/force_errors.hpp"
#include "core/observers/observer.hpp"
#include "core/observers/particle_observers.hpp"
#include "core/particles.hpp"

namespace gothic {

/// Particles whose steps have the same length.
struct StepLevel {
  double step = 0;  ///< in units of time
  std::uint32_t particles = 0;
};

/// Particles by the length of their steps, the shortest first. Lengths differ by powers of two.
using StepLevels = std::vector<StepLevel>;

/// How a simulation is advanced.
struct StepOptions {
  StepRule rule;
  double fixed_step = 0;     ///< length of the step if rule.mode is fixed
  double longest_step = 0;   ///< no step is longer; 0 for no such limit
  double end_time = 0;       ///< length of the simulated time; 0 for no end
  int rebuild_interval = 0;  ///< steps that one tree serves; 0 to decide by the policy
  int error_interval = 0;    ///< steps between two samples of force errors; see ErrorSchedule
  /// Makes the policy that decides when the tree is built anew; null for RebuildByGrowth.
  std::function<std::unique_ptr<RebuildPolicy>()> rebuild_policy = nullptr;
};

/// What happened in one step.
struct StepRecord {
  static constexpr Schedule schedule = Schedule::every_step;

  std::int64_t step = 0;
  double time = 0;           ///< after the step
  double dt = 0;             ///< advance of the system's time
  std::uint32_t active = 0;  ///< particles that got new forces
  bool rebuilt = false;
  /// log2 of the shortest and longest next step of the active particles; of this step if it is the
  /// last.
  int level_min = 0, level_max = 0;
  ForceCost force;
  double predict = 0, correct = 0;  ///< seconds; schedule and choice of particles included
  double total = 0;                 ///< seconds of the whole step
  bool sampled = false;             ///< whether the errors of its forces were sampled after it

  /// That of all ranks; see ForceCost::together.
  static StepRecord together(StepRecord a, const StepRecord& b) {
    a.force = ForceCost::together(a.force, b.force);
    a.predict = std::max(a.predict, b.predict);
    a.correct = std::max(a.correct, b.correct);
    a.total = std::max(a.total, b.total);
    return a;
  }
};

/// What is told of a simulation: where it runs, what was chosen for it, what its start cost.
struct SimulationFacts {
  DeviceIdentity device;
  int threads = 0;  ///< of the CPU; 0 on a GPU
  BlockSizes blocks;
  /// The options of the force with what the device chose where it was asked to: sizes, and the root
  /// of a pair. The group size and the sharing are the ones for all particles together.
  ForceOptions force;
  /// The shortest step that the clock can count, to which shorter ones are lengthened; 0 for fixed
  /// steps.
  double shortest_countable = 0;
  /// Cost of the first force with the requested criterion, and seconds of the force before it
  /// that tells the acceleration criterion the accelerations.
  ForceCost first_force;
  double bootstrap_seconds = 0;
};

/// Bytes of memory, of the GPU or of the host.
struct MemoryUse {
  std::size_t used = 0;  ///< by the process; of the host the most so far
  std::size_t free = 0;
};

/// Particles on a device, with forces, that can be advanced in time. Where there are several ranks,
/// all of them make the same calls.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Advances the system to the next time at which particles are due.
  virtual StepRecord step() = 0;

  virtual double time() const = 0;
  /// Shortens the coming steps so that all particles are synchronised at exactly `time`.
  /// \param time after the present time; infinite for no stop. Initially from StepOptions::end_time
  /// \throws SettingError if `time` is too far for the short steps that these particles need, or if
  ///         the step is fixed and `time` is no multiple of it
  virtual void stop_at(double time) = 0;
  /// Whether the time of stop_at is reached. A further step needs a new stop_at.
  virtual bool finished() const = 0;
  /// Whether all particles are at the present time, not predicted to it.
  virtual bool synchronised() const = 0;

  /// What an observer finds: when synchronised or, of states and samples of the forces, at any
  /// time.
  /// \param observer a name in particle_observers() or sample_observers()
  /// \throws std::invalid_argument for another name
  virtual Measurement measure(const std::string& observer) = 0;
  /// What the observer "energy" finds.
  EnergyRecord energy() { return std::any_cast<EnergyRecord>(measure("energy").found); }

  /// A sample of the errors of the present forces, at any time: the one that was due after the last
  /// step, or a new one.
  virtual const ForceSample& force_sample() = 0;

  /// How many particles have steps of which length.
  virtual StepLevels levels() const = 0;
  virtual Diagnosis diagnosis() = 0;

  /// Puts positions, velocities and forces at the present time into `particles`, of which there are
  /// as many as the simulation has, and `forces`, in the order of the input.
  virtual void save(Particles& particles, Forces& forces) = 0;

  /// Everything except the options that the rest of the simulation depends on. A simulation resumed
  /// from it repeats this one bit by bit on a CPU, unless something is tuned by measured times.
  virtual SimulationState state() = 0;

  virtual SimulationFacts facts() const = 0;
  virtual MemoryUse memory() const = 0;
};

}  // namespace gothic
