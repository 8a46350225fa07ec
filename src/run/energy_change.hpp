#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/engine/engine.hpp"
#include "core/messages/one_rank.hpp"
#include "files/snapshot.hpp"

/// How much the energy of a run has changed, and why.
namespace gothic {

/// The relative change of the energy of a simulation, all of whose particles are at one time, over
/// its value at the start; of particles without mass the largest.
double energy_error(const EnergyRecord& energy, double first_energy);

/// The virial ratio of a simulation, all of whose particles are at one time; see Conserved. Not a
/// number where nothing pulls.
double virial_ratio(Simulation& simulation);

/// Warns once of a change of the energy.
class EnergyBound {
 public:
  /// \param bound of the relative change; 0 for no warning
  explicit EnergyBound(double bound = 0) : bound_(bound) {}

  /// The warning where a change is the first beyond the bound; otherwise empty.
  /// \param cause of this change and its remedy in words, see EnergyWatch
  std::string warning(double error, const std::function<std::string(double error)>& cause);

 private:
  double bound_;
};

/// What errors of the forces do to the energy, if they always were as they are now.
struct ForceErrors {
  /// Their work, the time since the start times sum m v . (a - a_exact), and the error of the
  /// potential energy by which the energy is measured.
  double work = 0;
  double uncertainty = 0;  ///< its standard deviation, if the errors of particles are independent
};

/// The cause of a change of the energy, and the remedy. Steps and forces are the only causes, and
/// the work of the force errors is measured: so the steps did what is left.
/// \param change of the energy
/// \param errors nothing if they could not be measured
/// \param neighbour pull of a particle at the softening length, over the rms acceleration
std::string cause_of(double change, const std::optional<ForceErrors>& errors, double neighbour,
                     double accuracy);

/// Measures why the energy of a simulation changes. All it refers to must outlive it.
struct EnergyWatch {
  Simulation& simulation;          ///< whose particles are at one time
  Engine& engine;                  ///< on its device
  const files::Snapshot& initial;  ///< IDs and masses; positions and velocities are not used
  double start;                    ///< time at which the simulation began
  Communicator& ranks = one_rank();

  /// In words, with the remedy. Takes a few forces on all particles; all ranks must call it.
  /// \param error see energy_error
  std::string cause(double error) const;
};

}  // namespace gothic
