#include <csignal>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands.hpp"
#include "app/dry_run.hpp"
#include "core/engine/engine.hpp"
#include "files/checkpoint.hpp"
#include "files/error.hpp"
#include "files/folder_lock.hpp"
#include "files/snapshot.hpp"
#include "run/run.hpp"
#include "run/watched.hpp"

namespace gothic {
namespace {

/// The checkpoint that --restart is to go on from. Throws InputError where there is one that nobody
/// asked for, which a new run would replace.
std::optional<files::FoundCheckpoint> checkpoint_of(const Options& options, Watch& watch) {
  if (!options.restart) {
    if (!files::has_checkpoint(options.output)) return {};
    throw InputError("--output " + options.output.string() +
                     ": has the checkpoint of a run; add --restart to go on with that, or remove " +
                     files::checkpoint_path(options.output).filename().string() + " and " +
                     files::previous_checkpoint_path(options.output).filename().string());
  }
  std::optional<files::FoundCheckpoint> found = files::find_checkpoint(options.output);
  if (found && !found->problem.empty()) {
    watch.warned(found->problem + "; going on from " + found->path.string());
  }
  return found;
}

/// A simulation that starts at the snapshot or goes on from a checkpoint.
std::unique_ptr<Simulation> simulation_of(Engine& engine, const files::Snapshot& snapshot,
                                          const ForceOptions& force, const StepOptions& steps,
                                          const files::FoundCheckpoint* earlier) {
  if (earlier == nullptr) return engine.simulation(snapshot.particles, snapshot.time, force, steps);
  try {
    return engine.resumed(earlier->checkpoint.state, force, steps);
  } catch (const StateError& error) {
    throw InputError(earlier->path.string() + ": /Clock/Numbers: " + error.what() +
                     "; remove the file");
  }
}

}  // namespace

int run_command(const CLI::App& command, const Options& options, files::Provenance provenance) {
  Watch watch(log_kind(options), Watch::process_means());
  RunClock clock{steady_seconds(), 0, 0};
  keep_input(options, options.output / "snapshot_000.h5");
  if (options.dry_run) return dry_run(command, options, read_input(options), clock);
  files::FolderLock lock;
  lock.take(options.output);
  std::optional<files::FoundCheckpoint> earlier = checkpoint_of(options, watch);
  files::Snapshot snapshot =
      earlier ? std::move(earlier->checkpoint.snapshot) : read_input(options);
  clock.read = steady_seconds() - clock.start;
  provenance.options = option_values(command, options, snapshot);
  if (earlier) check_options(*earlier, provenance);
  const ForceOptions force = force_options(options, snapshot);
  const StepOptions steps = step_options(options, snapshot);
  const RunOptions run_until = run_options(options, snapshot);
  make_output_folder(options.output);
  lock.take(options.output);
  stop_on_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a run goes on when nobody reads what it tells
  const auto engine = make_engine(options.device);
  const auto simulation =
      simulation_of(*engine, snapshot, force, steps, earlier ? &*earlier : nullptr);
  clock.set_up = steady_seconds() - clock.start - clock.read;
  provenance.device = simulation->device_name();
  const double infinity = std::numeric_limits<double>::infinity();
  watch.started({.time = simulation->time(),
                 .end_time = steps.end_time > 0 ? snapshot.time + steps.end_time : infinity,
                 .step = earlier ? std::int64_t(earlier->checkpoint.progress.at("step")) : 0,
                 .last_step = run_until.steps,
                 .particles = snapshot.particles.size(),
                 .device = simulation->device_name(),
                 .threads = simulation->threads()},
                watched(*simulation, snapshot));
  try {
    const RunEnd end = run(*simulation, snapshot, options.output, run_until, clock, provenance,
                           watch, earlier ? &*earlier : nullptr);
    watch.ended(end == RunEnd::finished ? "finished" : "stopped");
    return end == RunEnd::finished ? done : stopped;
  } catch (...) {
    watch.failed();
    throw;
  }
}

}  // namespace gothic
