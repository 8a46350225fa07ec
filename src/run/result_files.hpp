#pragma once

#include <filesystem>
#include <vector>

namespace gothic {

/// What a run has left in its folder.
struct ResultFiles {
  /// Logs, snapshots and checkpoints, finished or not, by their names.
  std::vector<std::filesystem::path> all;
  /// Whether a run is there that has ended or stopped, so that its logs have their names.
  bool has_logs = false;
};

/// Finds them; nothing where there is no such folder. Throws InputError if it cannot be read.
ResultFiles result_files(const std::filesystem::path& folder);

/// Removes them. Throws InputError where one cannot be removed.
void remove(const ResultFiles& files);

}  // namespace gothic
