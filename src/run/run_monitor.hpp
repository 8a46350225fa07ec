#pragma once

#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>

#include "core/engine/simulation.hpp"
#include "core/messages/one_rank.hpp"
#include "files/snapshot.hpp"
#include "run/energy_change.hpp"
#include "run/recent_speed.hpp"
#include "run/reporter.hpp"

namespace gothic {

/// Who is told of a run: readers, programs, nobody; automatic: readers where standard error is a
/// terminal, otherwise readers of the start and the end.
enum class LogKind { automatic, text, json, none };

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
    /// Why the energy has changed by so much, see EnergyWatch, and the remedy.
    std::function<std::string(double error, double first_energy, const ForceWork& work)>
        cause_of_change;
  };

  RunMonitor(LogKind kind, Means means);

  void started(const RunOutline& outline, Particles particles);
  void stepped(const StepRecord& record);
  /// The relative change of the energy, whenever it is known, and its value at the start.
  void measured(double energy_error, double first_energy);
  /// The errors of the forces on all particles, whenever they are sampled.
  void sampled(const ForceErrorRecord& all) { work_.add(all); }
  const ForceWork& force_work() const { return work_; }
  /// \param event that a snapshot or a checkpoint was written
  /// \param time of the state in it
  void wrote(RunEvent event, const std::string& file, double time) { tell(event, file, time); }
  void warned(const std::string& message);
  /// \param reason a few words, such as finished
  /// \param is_done whether nothing of the run is left
  void ended(const std::string& reason, bool is_done);
  /// Without another look at the particles, which may be the reason.
  void failed();

 private:
  static constexpr double look_interval = 0.5;

  void look();
  void read_levels();
  void check_steps();
  /// What is wrong with the steps, and the remedy; empty if nothing is.
  std::string problem_of_steps() const;
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
  ForceWork work_;
  double first_energy_ = 0;
  double energy_error_ = std::numeric_limits<double>::quiet_NaN(), largest_error_ = energy_error_;
  bool is_stuck_ = false;
  EnergyBound energy_bound_;
};

/// The name of a particle and where it is, such as "particle 17 of halo at (1, 2, 3)".
/// \param snapshot the initial state, for IDs and components; the part of this rank
/// \param ranks all must call it
std::string described(const OneParticle& particle, const files::Snapshot& snapshot,
                      Communicator& ranks = one_rank());

/// A warning where particles that are left to themselves begin so far from equilibrium that their
/// velocities probably have other units than their masses and places; otherwise empty.
/// \param virial_ratio of the start, see Conserved; not a number if it is not known
std::string virial_warning(double virial_ratio, std::uint64_t particles);

/// A warning where so many steps are to be made, or they take so long, that it was hardly meant;
/// otherwise empty.
/// \param steps to the end, \param seconds to the end; not numbers if they are not known
/// \param shortest the particle that wants the shortest step, in words
std::string length_warning(double steps, double seconds,
                           const std::function<std::string()>& shortest);

/// What a monitor asks about the particles of a simulation. All that it refers to must outlive it.
/// All ranks must look at the same time.
/// \param snapshot the initial state, whose time is that of the start
RunMonitor::Particles particles_of(Simulation& simulation, const files::Snapshot& snapshot,
                                   Communicator& ranks = one_rank());

/// Throws std::runtime_error that names the first particle that is not finite, if the sums are not.
void check_finite(Simulation& simulation, const files::Snapshot& snapshot, const Conserved& sums,
                  Communicator& ranks = one_rank());

}  // namespace gothic
