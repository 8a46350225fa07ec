#pragma once

#include <filesystem>
#include <string>

#include "run/run.hpp"

namespace gothic {

/// What a run writes to its disk, in bytes. Compression is not counted.
struct DiskUse {
  double snapshot = 0, checkpoint = 0;  ///< of one
  int snapshots = 0;
  int checkpoints = 0;  ///< that are there at once, unless the run is stopped
  double logs = 0;

  double total() const { return snapshots * snapshot + checkpoints * checkpoint + logs; }
};

/// \param particles of all ranks
/// \param start, end first and last time of what is to come; the end may be infinite: then only the
///        last snapshot is counted
/// \param steps to come, for the logs
DiskUse disk_use(const RunOptions& run, double particles, double start, double end, double steps);

/// A warning where more is to be written to the folder than is free; else empty.
std::string disk_warning(const DiskUse& use, const std::filesystem::path& folder);

}  // namespace gothic
