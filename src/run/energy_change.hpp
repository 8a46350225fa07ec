#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/engine/simulation.hpp"
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

/// The time in which encounters of the particles change their orbits,
/// N / (8 ln(R / softening)) R / v, with the virial radius R = G M^2 / (2 |W|) and the mean square
/// velocity v^2 (Binney & Tremaine 2008, section 1.2.1); infinite where nothing is bound. Where
/// the density is high it is shorter.
/// \param particles their number
double relaxation_time(const Conserved& sums, double particles, double gravity, double softening);

/// What samples of the forces have told of a run.
class ForceWork {
 public:
  /// \param all of all particles
  void add(const ForceErrorRecord& all);

  bool empty() const { return work_.empty(); }
  std::size_t samples() const { return work_.size(); }
  /// The work of the errors per time, sum m e . v, a mean of the samples.
  double mean() const;
  /// Its standard error: from the scatter of the samples, or that of a sample if there are fewer
  /// than `enough` of them.
  double error() const;
  static constexpr std::size_t enough = 4;
  /// How much the error of the potential energy has changed since the first sample.
  double potential() const { return potential_ - first_potential_; }
  /// Root mean square of the accelerations in the last sample.
  double acceleration() const { return acceleration_; }

 private:
  std::vector<double> work_;
  double errors_ = 0;  ///< sum of those of the samples
  double first_potential_ = 0, potential_ = 0;
  double acceleration_ = 0;
};

/// How exact the mean force over a step is, by a second rule: the trapezoidal rule errs by
/// dt^2 |a''| / 12 in a step dt, here y^2 |a| / 12, where y = dt |a'| / |a| is the relative change
/// of the acceleration. So steps and forces can be compared.
///
/// \param before, after the same particles at two times, whose forces tell a'
/// \param step of a particle
/// \returns relative errors as those of forces
ForceErrorRecord step_errors(const ForceSample& before, const ForceSample& after,
                             const std::function<double(const SampledForce&)>& step);

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

/// What errors of the forces have done to the energy.
struct ForceErrors {
  double work = 0;         ///< in all, errors of the measured energy included
  double uncertainty = 0;  ///< its standard error
};

/// What one can do about the energy.
struct Remedies {
  double neighbour = 0;  ///< pull of a particle at the softening length, over the rms acceleration
  std::string forces;    ///< what makes forces more exact, such as "a smaller accuracy than 0.5"
};

/// The cause of a change of the energy, and the remedy. Steps and forces are the only causes, and
/// the work of the force errors is measured: so the steps did what is left.
/// \param change of the energy
std::string cause_of(double change, const ForceErrors& errors, const Remedies& remedies);

/// What errs most, and the remedy: the steps, the forces, or the softening, if single neighbours
/// pull so strongly that the steps err.
std::string advice(const ForceErrorRecord& forces, const ForceErrorRecord& steps,
                   const Remedies& remedies);

/// The remedies for a simulation of so many particles.
Remedies remedies_for(const ForceOptions& force, double mass, double particles,
                      double acceleration);

/// Tells why the energy of a simulation changes. All it refers to must outlive it.
struct EnergyWatch {
  Simulation& simulation;
  const ForceWork& work;           ///< all samples of the run so far
  const files::Snapshot& initial;  ///< its masses; the part of this rank
  double start;                    ///< time at which the simulation began
  Communicator& ranks = one_rank();

  /// In words, with the remedy. All ranks must call it.
  /// \param error see energy_error
  /// \param first_energy at the start
  std::string cause(double error, double first_energy) const;
};

}  // namespace gothic
