#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_choice.hpp"
#include "core/device/device_identity.hpp"
#include "core/engine/simulation.hpp"
#include "core/engine/simulation_state.hpp"
#include "core/gravity/external_field.hpp"
#include "core/gravity/force_options.hpp"
#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"
#include "core/observers/force_errors.hpp"
#include "core/particles.hpp"

namespace gothic {

/// Tree forces and what they cost.
struct TreeForces {
  Forces forces;
  ForceCost cost;
  double bootstrap_seconds = 0;  ///< of the force that a relative criterion needs before
  // where an error is asked for
  double choice_seconds = 0;             ///< of finding the criterion that gives it
  Acceptance acceptance;                 ///< the criterion
  std::vector<ForceErrorRecord> errors;  ///< of the forces; empty if no error is asked for
};

/// Precision of a direct sum. In single precision, also how the reciprocal root is computed.
enum class Precision { single_newton, single_estimate, double_precision };

struct DirectOptions {
  double gravity = 1;                            ///< G in the units of the particles
  double softening = 0;                          ///< Plummer softening length, positive
  std::vector<double> component_softening = {};  ///< see ForceOptions
  Precision precision = Precision::double_precision;
  ExternalField external = {};  ///< added to the sums in their precision
};

struct DirectForces {
  ReferenceForces forces;  ///< in the order of the targets or points
  double seconds = 0;
  std::uint64_t interactions = 0;
};

/// Everything that the core computes, on one device. Where it is one of several ranks, each gives
/// and gets its own part of the particles and points, any numbers of them, and all ranks make the
/// same calls; direct sums take the own part alone.
///
/// Functions throw SettingError where options contradict each other or the device, and
/// std::bad_alloc where there is not enough memory.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Tree forces on all particles, in their order.
  /// \param time of the particles, for external fields
  virtual TreeForces forces(const Particles& particles, double time,
                            const ForceOptions& options) = 0;
  /// Tree forces at points, in their order. The points are targets without mass in the tree of the
  /// particles. A point on a particle feels that particle's softened potential, too.
  /// \param points in the units of the particles, at least one
  virtual TreeForces forces_at(const Particles& particles, std::span<const Vec3> points,
                               double time, const ForceOptions& options) = 0;

  /// Sums the forces of all particles on the targets.
  /// \param targets indices of particles
  virtual DirectForces direct_sum(const Particles& particles,
                                  std::span<const std::uint32_t> targets, double time,
                                  const DirectOptions& options) = 0;
  /// The same at points. A point on a particle feels that particle's softened potential, too.
  virtual DirectForces direct_sum_at(const Particles& particles, std::span<const Vec3> points,
                                     double time, const DirectOptions& options) = 0;

  /// Particles that can be advanced in time, with their forces at the initial time.
  virtual std::unique_ptr<Simulation> simulation(const Particles& particles, double time,
                                                 const ForceOptions& force,
                                                 const StepOptions& steps) = 0;
  /// A simulation that continues from the state of a simulation with the same options.
  /// \param particles as at the start; their IDs and components count
  /// \throws StateError if the state does not belong to a simulation with these options
  virtual std::unique_ptr<Simulation> resumed(const Particles& particles,
                                              const SimulationState& state,
                                              const ForceOptions& force,
                                              const StepOptions& steps) = 0;

  virtual DeviceIdentity device() const = 0;
  virtual int threads() const = 0;
};

/// The engine on the device that is chosen. Throws SettingError as find_device.
/// \param ranks that have a simulation together. They must outlive the engine.
std::unique_ptr<Engine> make_engine(const DeviceChoice& device, Communicator& ranks = one_rank());

/// Indices of `count` particles, evenly spread over the IDs and sorted by ID. All particles if
/// count is 0.
std::vector<std::uint32_t> spread_targets(const Particles& particles, std::uint32_t count);

}  // namespace gothic
