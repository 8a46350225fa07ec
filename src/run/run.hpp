#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/engine/simulation.hpp"
#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"
#include "files/checkpoint.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "run/output_schedule.hpp"
#include "run/run_monitor.hpp"
#include "run/stop_rules.hpp"

namespace gothic {

/// When a run ends, and what it writes besides its logs.
struct RunOptions {
  std::int64_t steps = 0;  ///< 0: no limit but the time
  double time = 0;         ///< to advance by; 0: no limit but the steps
  double stop_after = 0;   ///< seconds of wall time; 0: no such limit

  bool snapshot = true;  ///< whether the state at the end is written
  OutputTimes outputs;   ///< of snapshots on the way; with any, the initial state is written, too
  int compression = 0;   ///< of snapshots; see files::write_snapshot

  double checkpoint_interval = 1800;  ///< seconds of wall time; 0: none on the way
  bool final_checkpoint = true;       ///< whether the end of the run has one

  double energy_bound = 0;  ///< of the relative error of the energy that is not warned of; 0: none
  std::vector<StopRule> stop_rules;  ///< each of which ends the run
};

/// How a run ended.
struct RunEnd {
  bool is_stopped = false;  ///< by a signal or the wall time, so that it may go on
  std::string reason;       ///< in a few words
};

/// Where the time of a run goes besides its steps, in seconds.
struct RunClock {
  double start = 0;  ///< steady time at which the program began
  double read = 0;
  double set_up = 0;
};

/// Steady time in seconds.
double steady_seconds();

/// Steady time of a run in seconds. That of several ranks is the first's, and stands still until
/// they renew it together, so that all decide alike.
class RunTime {
 public:
  explicit RunTime(Communicator& ranks) : ranks_(ranks) { renew(false); }

  double seconds() const { return ranks_.size() == 1 ? steady_seconds() : seconds_; }
  /// \param flag of this rank
  /// \returns whether any rank has raised its flag
  bool renew(bool flag);

 private:
  Communicator& ranks_;
  double seconds_ = 0;
};

/// Makes SIGINT, SIGTERM, SIGUSR1 and SIGHUP end a run after its present step. A second SIGINT ends
/// the program; the others may come several times, since batch systems tell every process of a job.
/// SIGHUP remains ignored where nohup has arranged that.
void stop_on_signals();

/// Advances the simulation and writes snapshots, checkpoints and what the observers measure
/// (steps.h5, energy.h5 and so on) to `folder`.
///
/// \param snapshot the initial state; the last one that was written afterwards; on several ranks
///        the part of each
/// \param monitor told of every step, the energy and the files; its start and end are the caller's
/// \param time by which the monitor goes, too
/// \param earlier the checkpoint that the simulation goes on from; null for none
/// \param ranks of which the first writes all files
/// \throws InputError if the folder cannot be written to, std::runtime_error if the disk is full or
///         the state becomes infinite
RunEnd run(Simulation& simulation, files::Snapshot& snapshot, const std::filesystem::path& folder,
           const RunOptions& options, const RunClock& clock, const files::Provenance& provenance,
           RunMonitor& monitor, RunTime& time, const files::FoundCheckpoint* earlier = nullptr,
           Communicator& ranks = one_rank());

}  // namespace gothic
