#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/device/launch_sizes.hpp"
#include "core/dynamics/conserved.hpp"
#include "core/dynamics/integrator.hpp"
#include "core/dynamics/one_particle.hpp"
#include "core/dynamics/rebuild.hpp"
#include "core/dynamics/tracers.hpp"
#include "core/engine/simulation_state.hpp"
#include "core/gravity/force_options.hpp"
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
  /// Makes the policy that decides when the tree is built anew; null for RebuildByGrowth.
  std::function<std::unique_ptr<RebuildPolicy>()> rebuild_policy = nullptr;
};

/// What happened in one step.
struct StepRecord {
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

  /// That of all ranks; see ForceCost::together.
  static StepRecord together(StepRecord a, const StepRecord& b) {
    a.force = ForceCost::together(a.force, b.force);
    a.predict = std::max(a.predict, b.predict);
    a.correct = std::max(a.correct, b.correct);
    a.total = std::max(a.total, b.total);
    return a;
  }
};

/// Particles on a device, with forces, that can be advanced in time.
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
  /// Sums over the particles, the external field's energy included; only when synchronised.
  virtual Conserved conserved() = 0;
  /// Errors of the energies of single particles, where none has a mass; only when synchronised.
  virtual TracerErrors tracer_errors() = 0;
  /// How strongly the particles are pulled, and how much that changes in a step.
  virtual Roughness roughness() = 0;

  /// How many particles have steps of which length.
  virtual StepLevels levels() const = 0;
  /// The shortest step that the clock can count, to which shorter ones are lengthened; 0 for fixed
  /// steps.
  virtual double shortest_countable() const = 0;
  /// The particle that wants the shortest step.
  virtual OneParticle shortest_step() = 0;
  /// The step that a particle wants, in units of time.
  virtual double step_of(const OneParticle& particle) const = 0;
  /// The first particle of the input that is not finite; slot `none` if all are finite.
  virtual OneParticle first_not_finite() = 0;

  /// Puts positions, velocities and forces at the present time into `particles`, of which there are
  /// as many as the simulation has, and `forces`, in the order of the input.
  virtual void save(Particles& particles, Forces& forces) = 0;

  /// Everything except the options that the rest of the simulation depends on. A simulation resumed
  /// from it repeats this one bit by bit on a CPU, unless something is tuned by measured times.
  virtual SimulationState state() = 0;

  /// Cost of the first force with the requested criterion, and seconds of the force before it
  /// that tells the acceleration criterion the accelerations.
  virtual const ForceCost& first_force() const = 0;
  virtual double bootstrap_seconds() const = 0;

  /// The options of the force with what the device chose where it was asked to: sizes, and the root
  /// of a pair. The group size and the sharing are those of all particles together.
  virtual ForceOptions force_options() const = 0;
  virtual BlockSizes block_sizes() const = 0;

  virtual std::string device_name() const = 0;
  virtual int threads() const = 0;
  /// Bytes in use: of the GPU's memory, or the largest that the process had of the host's.
  virtual std::size_t memory() const = 0;
  /// Bytes of the GPU's or the host's memory that are free.
  virtual std::size_t free_memory() const = 0;
};

}  // namespace gothic
