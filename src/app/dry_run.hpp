#pragma once

#include "app/settings.hpp"
#include "run/run.hpp"

namespace gothic {

/// What `gothic run --dry-run` does instead of a run: makes the simulation, takes some steps to see
/// what they cost, prints options, memory, disk space and the expected time, and writes nothing.
///
/// \param clock of the program, with the time that reading took
void dry_run(const Settings& settings, files::Snapshot snapshot, RunClock clock);

}  // namespace gothic
