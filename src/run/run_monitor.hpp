#pragma once

#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>

#include "core/engine/simulation.hpp"
#include "files/snapshot.hpp"
#include "run/recent_speed.hpp"
#include "run/reporter.hpp"

namespace gothic {

/// Who is told of a run: readers where standard error is a terminal, readers, programs, nobody.
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
  };

  RunMonitor(LogKind kind, Means means);

  void started(const RunOutline& outline, Particles particles);
  void stepped(const StepRecord& record);
  /// The total energy, whenever it is known; finite. The first is the one at the start.
  void measured(double energy);
  /// \param event that a snapshot or a checkpoint was written
  void wrote(RunEvent event, const std::string& file) { tell(event, file); }
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
  void tell(RunEvent event, const std::string& text = "");

  Means means_;
  std::unique_ptr<Reporter> reporter_;  ///< null if nobody is told of progress
  RunOutline outline_;
  Particles particles_;
  double start_ = 0, last_look_ = 0, last_report_ = 0;  ///< seconds
  Advance now_;
  RecentSpeed speed_{Advance{}};
  double period_ = 0, shortest_step_ = 0;
  double first_energy_ = std::numeric_limits<double>::quiet_NaN(), energy_error_ = first_energy_;
  bool is_stuck_ = false;
};

/// The name of a particle and where it is, such as "particle 17 of halo at (1, 2, 3)".
/// \param snapshot the initial state, for IDs and components
std::string described(const OneParticle& particle, const files::Snapshot& snapshot);

/// What a monitor asks about the particles of a simulation. Both must outlive it.
RunMonitor::Particles particles_of(Simulation& simulation, const files::Snapshot& snapshot);

/// Throws std::runtime_error that names the first particle that is not finite, if the sums are not.
void check_finite(Simulation& simulation, const files::Snapshot& snapshot, const Conserved& sums);

}  // namespace gothic
