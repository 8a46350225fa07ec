#pragma once

#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "core/engine/simulation.hpp"
#include "core/messages/one_rank.hpp"
#include "files/snapshot.hpp"
#include "run/recent_speed.hpp"
#include "run/reporter.hpp"

namespace gothic {

/// Who is told of a run: readers where standard error is a terminal, readers, programs, nobody.
enum class LogKind { automatic, text, json, none };

/// Warns once of an error of the energy.
class EnergyBound {
 public:
  /// \param bound of the relative error; 0 for no warning
  explicit EnergyBound(double bound = 0) : bound_(bound) {}

  /// The warning where an error is the first beyond the bound; otherwise empty.
  /// \param cause of the error and its remedy in words, see cause_of_error
  std::string warning(double error, const std::function<std::string()>& cause);

 private:
  double bound_;
};

/// Follows a run: its speed, its energy, when it will end, and whether it can.
///
/// The loop over steps calls it; it looks at the run twice a second at most, so that short steps
/// cost one reading of the clock. Warnings always go to standard error, once a run.
class RunMonitor {
 public:
  /// Where to, and by which clock.
  struct Means {
    std::ostream& out;                ///< standard output, for JSON
    std::ostream& error;              ///< standard error, for text and warnings
    bool is_terminal = false;         ///< whether `error` is one
    std::function<int()> columns;     ///< its width
    std::function<double()> seconds;  ///< steady time
  };
  /// Those of the process.
  static Means process_means();
  /// Those of a rank that speaks to nobody.
  static Means silent_means();

  /// What is asked about the particles when the run is looked at.
  struct Particles {
    std::function<StepLevels()> levels;
    /// The shortest step that the clock of the run can count; 0 for fixed steps.
    double shortest_countable = 0;
    /// The step that some particle wants, the shortest of all, and who and why in words.
    struct Shortest {
      double step = 0;
      std::string particle;
    };
    std::function<Shortest()> shortest;
    /// What an error of the energy most likely comes from, and the remedy.
    std::function<std::string()> cause_of_error;
  };

  RunMonitor(LogKind kind, Means means);

  void started(const RunOutline& outline, Particles particles);
  void stepped(const StepRecord& record);
  /// The relative error of the energy, whenever it is known.
  void measured(double energy_error);
  /// \param event that a snapshot or a checkpoint was written
  /// \param time of the state in it
  void wrote(RunEvent event, const std::string& file, double time) { tell(event, file, time); }
  void warned(const std::string& message);
  /// \param reason a few words, such as finished
  void ended(const std::string& reason);
  /// Without another look at the particles, which may be the reason.
  void failed();

 private:
  static constexpr double look_interval = 0.5;

  void look();
  void read_levels();
  void check_steps();
  void tell(RunEvent event, const std::string& text = "") { tell(event, text, now_.time); }
  void tell(RunEvent event, const std::string& text, double time);

  Means means_;
  std::unique_ptr<Reporter> reporter_;  ///< null if nobody is told of progress
  RunOutline outline_;
  Particles particles_;
  double start_ = 0, last_look_ = 0, last_report_ = 0;  ///< seconds
  Advance now_;
  RecentSpeed speed_{Advance{}};
  double period_ = 0, shortest_step_ = 0;
  double energy_error_ = std::numeric_limits<double>::quiet_NaN();
  bool is_stuck_ = false;
  EnergyBound energy_bound_;
};

/// The name of a particle and where it is, such as "particle 17 of halo at (1, 2, 3)".
/// \param snapshot the initial state, for IDs and components; the part of this rank
/// \param ranks all must call it
std::string described(const OneParticle& particle, const files::Snapshot& snapshot,
                      Communicator& ranks = one_rank());

/// Why the energy of a simulation is not conserved, in words, and the remedy: long steps, where
/// accelerations change much in one; a short softening, where one particle at that distance pulls
/// more strongly than all together do on average (Power et al. 2003, section 2.1); or inaccurate
/// forces.
std::string cause_of_error(Simulation& simulation, std::span<const float> masses,
                           Communicator& ranks = one_rank());

/// The relative change of the energy of a simulation, all of whose particles are at one time, over
/// its value at the start; of particles without mass the largest.
double energy_error(const EnergyRecord& energy, double first_energy);

/// What a monitor asks about the particles of a simulation. Both must outlive it.
/// All ranks must look at the same time.
RunMonitor::Particles particles_of(Simulation& simulation, const files::Snapshot& snapshot,
                                   Communicator& ranks = one_rank());

/// Throws std::runtime_error that names the first particle that is not finite, if the sums are not.
void check_finite(Simulation& simulation, const files::Snapshot& snapshot, const Conserved& sums,
                  Communicator& ranks = one_rank());

}  // namespace gothic
