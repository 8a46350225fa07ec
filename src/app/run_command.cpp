#include <csignal>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/commands.hpp"
#include "app/settings.hpp"
#include "core/engine/engine.hpp"
#include "files/checkpoint.hpp"
#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/snapshot.hpp"
#include "run/run.hpp"
#include "run/run_monitor.hpp"

namespace gothic {
namespace {

/// The checkpoint that --restart is to go on from. Throws InputError where there is one that nobody
/// asked for, which a new run would replace.
std::optional<files::FoundCheckpoint> checkpoint_of(const Options& options, RunMonitor& monitor) {
  const std::filesystem::path output = options.file("output");
  if (!options.flag("restart")) {
    if (!files::has_checkpoint(output)) return {};
    throw InputError("--output " + output.string() +
                     ": has the checkpoint of a run; add --restart to go on with that, or remove " +
                     files::checkpoint_path(output).filename().string() + " and " +
                     files::previous_checkpoint_path(output).filename().string());
  }
  std::optional<files::FoundCheckpoint> found = files::find_checkpoint(output);
  if (found && !found->problem.empty()) {
    monitor.warned(found->problem + "; going on from " + found->path.string());
  }
  return found;
}

/// Throws InputError that lists the options of a checkpoint that are not those of this run, among
/// those that change its course.
void require_same_course(const files::FoundCheckpoint& found, const files::Provenance& provenance) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, value] : found.checkpoint.options) both[name].first = value;
  for (const auto& [name, value] : provenance.options) both[name].second = value;
  const auto shown = [](const std::string& value) { return value.empty() ? "not given" : value; };
  std::string differences;
  for (const auto& [name, values] : both) {
    const auto& [then, now] = values;
    if (then == now || !changes_course(name)) continue;
    differences += differences.empty() ? "" : ", ";
    if (name == "external.text") {
      differences += "another text in the file of --external";
    } else {
      differences += "--" + name + " was " + shown(then) + " and is " + shown(now);
    }
  }
  if (differences.empty()) return;
  throw InputError(found.path.string() + ": is of a run with other options: " + differences +
                   "; use the same ones, or another --output");
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

int run_command(const Options& options, files::Provenance provenance) {
  const Settings settings(options);
  const std::filesystem::path output = options.file("output");
  RunMonitor monitor(settings.log(), RunMonitor::process_means());
  RunClock clock{steady_seconds(), 0, 0};
  keep_input(options, "output", "snapshot_000.h5");
  if (options.flag("dry-run")) {
    dry_run(settings, settings.read_input(), clock);
    return done;
  }
  files::FolderLock lock;
  lock.take(output);
  std::optional<files::FoundCheckpoint> earlier = checkpoint_of(options, monitor);
  files::Snapshot snapshot =
      earlier ? std::move(earlier->checkpoint.snapshot) : settings.read_input();
  clock.read = steady_seconds() - clock.start;
  provenance.options = settings.provenance(snapshot);
  if (earlier) require_same_course(*earlier, provenance);
  const ForceOptions force = settings.force(snapshot);
  const StepOptions steps = settings.steps();
  const RunOptions run_until = settings.run(snapshot);
  make_output_folder(output);
  lock.take(output);
  stop_on_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a run goes on when nobody reads what it tells
  const auto engine = make_engine(settings.device());
  const auto simulation =
      simulation_of(*engine, snapshot, force, steps, earlier ? &*earlier : nullptr);
  clock.set_up = steady_seconds() - clock.start - clock.read;
  provenance.device = simulation->device_name();
  const double infinity = std::numeric_limits<double>::infinity();
  monitor.started({.time = simulation->time(),
                   .end_time = steps.end_time > 0 ? snapshot.time + steps.end_time : infinity,
                   .step = earlier ? std::int64_t(earlier->checkpoint.progress.at("step")) : 0,
                   .last_step = run_until.steps,
                   .particles = snapshot.particles.size(),
                   .device = simulation->device_name(),
                   .threads = simulation->threads()},
                  particles_of(*simulation, snapshot));
  try {
    const RunEnd end = run(*simulation, snapshot, output, run_until, clock, provenance, monitor,
                           earlier ? &*earlier : nullptr);
    monitor.ended(end == RunEnd::finished ? "finished" : "stopped");
    return end == RunEnd::finished ? done : stopped;
  } catch (...) {
    monitor.failed();
    throw;
  }
}

}  // namespace gothic
