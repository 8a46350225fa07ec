#pragma once

#include <cstdint>
#include <filesystem>

#include "io/provenance.hpp"
#include "io/snapshot.hpp"
#include "simulation/simulation.hpp"

namespace gothic {

struct RunLimits {
  std::int64_t steps = 0;  ///< 0: none but the end time
};

/// How a run ended.
enum class RunEnd { finished, stopped_by_signal };

/// Where the time of a run goes besides its steps, in seconds.
struct RunClock {
  double start = 0;  ///< steady time at which the program began
  double read = 0;
  double set_up = 0;
};

/// Steady time in seconds.
double steady_seconds();

/// Makes SIGINT, SIGTERM and SIGUSR1 end a run after its present step.
void stop_on_signals();

/// Makes the folder of a run's files where it is not there.
/// \throws InputError if it cannot be made
void make_output_folder(const std::filesystem::path& folder);

/// Advances the simulation and writes steps.h5, energy.h5 and, if wanted, snapshot_000.h5 with the
/// state at the end to `folder`.
///
/// \param snapshot the initial state; the final one afterwards
/// \throws InputError if the folder cannot be written to, std::runtime_error if the disk is full or
///         the state becomes infinite
RunEnd run(Simulation& simulation, io::Snapshot& snapshot, const std::filesystem::path& folder,
           const RunLimits& limits, bool write_snapshot, const RunClock& clock,
           const io::Provenance& provenance);

}  // namespace gothic
