#include "run/disk_use.hpp"

#include <fmt/format.h>

#include <cmath>

#include "files/output_file.hpp"
#include "files/snapshot.hpp"
#include "files/text.hpp"
#include "run/observers.hpp"

namespace gothic {
namespace {

/// Bytes of a particle in a checkpoint: three vectors of four numbers, level, place, key, mass, ID,
/// type, component.
constexpr double bytes_of_checkpoint = 3 * 16 + 1 + 4 + 8 + 4 + 8 + 1 + 4;

/// Snapshots that the run will write, counted up to a million.
int snapshot_count(const RunOptions& run, double time, double end) {
  const int last = run.snapshot ? 1 : 0;
  if (!run.outputs.any() || std::isinf(end)) return last;
  const OutputSchedule plan(time, end, run.outputs);
  int times = 0;
  for (; times < 1'000'000 && time < end; ++times) time = plan.next(time);
  return times + last;  // `times` counts the end in place of the start
}

/// The newest checkpoint, the one before, and one that is being written.
int most_checkpoints(const RunOptions& run) {
  if (run.checkpoint_interval > 0) return 3;
  return run.final_checkpoint ? 1 : 0;
}

/// Bytes that the logs get in each step.
double bytes_per_step() {
  double bytes = 0;
  for (const auto& observer : step_observers()) bytes += 8 * double(observer.columns.size());
  return bytes;
}

}  // namespace

DiskUse disk_use(const RunOptions& run, double particles, double start, double end, double steps) {
  return {.snapshot = (files::bytes_of_particle + files::bytes_of_force) * particles,
          .checkpoint = bytes_of_checkpoint * particles,
          .snapshots = snapshot_count(run, start, end),
          .checkpoints = most_checkpoints(run),
          .logs = bytes_per_step() * steps};
}

std::string disk_warning(const DiskUse& use, const std::filesystem::path& folder) {
  const auto free = files::free_space(folder);
  if (!free || use.total() <= *free) return {};
  return fmt::format("{}: {} are needed and {} are free; free some space or choose another place",
                     folder.string(), files::bytes(use.total()), files::bytes(*free));
}

}  // namespace gothic
