#pragma once

#include "files/provenance.hpp"
#include "parallel/world.hpp"
#include "run/run.hpp"
#include "settings/options.hpp"
#include "settings/settings.hpp"

/// The commands of `gothic`. Each takes its options and what is known of the files' origin, and
/// returns the exit status; commands that several ranks can do together take the world.
namespace gothic {

enum ExitStatus { done = 0, failed = 1, wrong_usage = 2, stopped = 3 };

int run_command(const Options& options, files::Provenance provenance, parallel::World& world);
int force_command(const Options& options, const files::Provenance& provenance,
                  parallel::World& world);
int direct_command(const Options& options, const files::Provenance& provenance,
                   parallel::World& world);
int bench_command(const Options& options, files::Provenance provenance);

/// What `gothic run --dry-run` does instead of a run: makes the simulation, takes some steps to see
/// what they cost, prints options, memory, disk space and the expected time, and writes nothing.
///
/// \param clock of the program, with the time that reading took
void dry_run(const Settings& settings, files::Snapshot snapshot, RunClock clock,
             parallel::World& world);

}  // namespace gothic
