#include <algorithm>
#include <csignal>
#include <cstdint>
#include <future>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.hpp"
#include "core/engine/engine.hpp"
#include "core/messages/slices.hpp"
#include "files/checkpoint.hpp"
#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/snapshot.hpp"
#include "files/text.hpp"
#include "parallel/rank_device.hpp"
#include "run/disk_use.hpp"
#include "run/files_of_ranks.hpp"
#include "run/force_error_bounds.hpp"
#include "run/result_files.hpp"
#include "run/run.hpp"
#include "run/run_monitor.hpp"
#include "settings/kept_files.hpp"
#include "settings/restart.hpp"
#include "settings/settings.hpp"

namespace gothic {
namespace {

/// Memory of the CPU for each particle of a run, at least; measured.
constexpr double bytes_of_run = 240;

/// \param warning empty for none
void warn(RunMonitor& monitor, const std::string& warning) {
  if (!warning.empty()) monitor.warned(warning);
}

/// The checkpoint to go on from; nothing for a run that starts. Throws InputError where the folder
/// has a run that was not asked for, or lacks one that was.
std::optional<files::FoundCheckpoint> checkpoint_of(const Options& options, RunMonitor& monitor,
                                                    Communicator& ranks) {
  const std::filesystem::path output = options.file("output");
  const std::string folder = "--output " + output.string();
  const ResultFiles present = result_files(output);
  if (options.flag("overwrite")) {
    keep_files(options, {}, present.all);
    return {};
  }
  const bool may_start = options.flag("restart-or-start");
  if (!may_start && !options.flag("restart")) {
    if (present.all.empty()) return {};
    throw InputError(folder + ": has " + present.all.front().filename().string() +
                     " of a run; add --restart to continue it, --overwrite to remove it, or choose "
                     "another folder");
  }
  std::optional<files::FoundCheckpoint> found = find_checkpoint_of_ranks(ranks, output);
  if (!found && !may_start) {
    throw InputError(folder +
                     ": has no checkpoint to continue from; leave out --restart, or use "
                     "--restart-or-start");
  }
  if (!found && present.has_logs) {
    throw InputError(folder +
                     ": has a run that ended without a checkpoint; add --overwrite "
                     "instead to remove it, or choose another folder");
  }
  if (!found && !present.all.empty()) {
    keep_files(options, {}, present.all);
    monitor.warned(folder + ": has a run that ended before its first checkpoint; starting again");
  }
  if (found) warn(monitor, found->warning());
  return found;
}

/// The first rank speaks for all; the others follow the run in silence.
RunMonitor monitor_of(const Settings& settings, const Communicator& ranks, const RunTime& time) {
  RunMonitor::Means means = leads(ranks) ? RunMonitor::process_means() : RunMonitor::silent_means();
  means.seconds = [&time] { return time.seconds(); };
  return {leads(ranks) ? settings.log() : LogKind::none, std::move(means)};
}

/// Throws InputError where a run that goes on is further than its end.
void require_later_end(const Simulation& simulation, std::int64_t step, const RunOptions& run,
                       double end_time) {
  if (simulation.time() > end_time) {
    throw InputError("--time " + files::shortest(run.time) + ": the run is at time " +
                     files::shortest(simulation.time()) + " already; give a later end");
  }
  if (run.steps > 0 && step > run.steps) {
    throw InputError("--steps " + std::to_string(run.steps) + ": the run has made " +
                     std::to_string(step) + " steps already; give more");
  }
}

}  // namespace

int run_command(const Options& options, files::Provenance provenance, parallel::World& world) {
  Communicator& ranks = world.ranks();
  const Settings settings(options, ranks);
  const std::future<void> starting = parallel::start_own_device(settings.device(), world);
  const std::filesystem::path output = options.file("output");
  RunTime time(ranks);
  RunMonitor monitor = monitor_of(settings, ranks, time);
  RunClock clock{time.seconds(), 0, 0};
  if (options.flag("dry-run")) {
    dry_run(settings, settings.read_input(bytes_of_run), clock, world);
    return done;
  }
  files::FolderLock lock;
  if (leads(ranks)) lock.take(output);
  std::optional<files::FoundCheckpoint> earlier = checkpoint_of(options, monitor, ranks);
  files::Snapshot snapshot =
      earlier ? std::move(earlier->checkpoint.snapshot) : settings.read_input(bytes_of_run);
  clock.read = steady_seconds() - clock.start;
  provenance.options = settings.provenance(snapshot);
  if (earlier) {
    require_same_course(*earlier, options, provenance.options,
                        "use the same ones, or another --output");
    warn(monitor, require_same_input(*earlier, settings, ranks));
    provenance.options[input_digest_name] = earlier->checkpoint.options.at(input_digest_name);
  } else {
    provenance.options[input_digest_name] = input_digest(snapshot, ranks);
  }
  const ForceOptions force = settings.force(snapshot);
  const StepOptions steps = settings.steps(snapshot.units);
  const RunOptions run_until = settings.run(snapshot);
  if (leads(ranks)) {
    files::make_folder(output);
    lock.take(output);
  }
  stop_on_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a run goes on when nobody reads what it tells
  const auto engine = make_engine(parallel::rank_device(settings.device(), world), ranks);
  const auto simulation =
      simulation_of(*engine, snapshot, force, steps, earlier ? &*earlier : nullptr);
  const double infinity = std::numeric_limits<double>::infinity();
  const double end_time = steps.end_time > 0 ? snapshot.time + steps.end_time : infinity;
  const auto step = earlier ? std::int64_t(earlier->checkpoint.progress.at("step")) : 0;
  require_later_end(*simulation, step, run_until, end_time);
  if (!earlier) {
    require_none_holds(run_until.stop_rules, "--stop-when", *simulation);
  }
  if (!earlier && leads(ranks)) remove(result_files(output));
  clock.set_up = steady_seconds() - clock.start - clock.read;
  const std::size_t all = slices_of(ranks, snapshot.particles.size()).all;
  DiskUse use = disk_use(run_until, double(all), simulation->time(), end_time, 0);
  if (earlier) use.checkpoints = std::min(use.checkpoints, 1);  // two are there
  warn(monitor, disk_warning(use, output));
  const SimulationFacts facts = simulation->facts();
  provenance.set(facts.device);
  std::vector<ForceErrorRecord> errors;
  if (!earlier) errors = force_errors(simulation->force_sample());
  monitor.started({.time = simulation->time(),
                   .end_time = end_time,
                   .step = step,
                   .last_step = run_until.steps,
                   .particles = all,
                   .device = facts.device.name,
                   .threads = facts.threads,
                   .energy_bound = run_until.energy_bound,
                   .output = output.string(),
                   .virial_ratio = earlier ? std::numeric_limits<double>::quiet_NaN()
                                           : virial_ratio(*simulation),
                   .forces = earlier ? "" : in_words(errors.front()),
                   .force_error = earlier ? std::numeric_limits<double>::quiet_NaN()
                                          : errors.front().percentile_99,
                   .is_isolated = force.external.count == 0},
                  particles_of(*simulation, snapshot, ranks));
  try {
    const RunEnd end = run(*simulation, snapshot, output, run_until, clock, provenance, monitor,
                           time, earlier ? &*earlier : nullptr, ranks);
    monitor.ended(end.reason, !end.is_stopped);
    if (!end.is_stopped) return done;
    if (leads(ranks)) {
      std::cerr << "gothic: stopped at time " << files::shortest(simulation->time())
                << "; the same command with --restart continues" << std::endl;
    }
    return stopped;
  } catch (...) {
    monitor.failed();
    throw;
  }
}

}  // namespace gothic
