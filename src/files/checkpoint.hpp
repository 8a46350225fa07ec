#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/dynamics/simulation_state.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "files/table.hpp"

/// Checkpoints: everything that the further course of a run depends on, in one HDF5 file with a
/// checksum. They appear when they are complete, and the one before is kept.
namespace gothic::files {

/// State of a run.
struct Checkpoint {
  /// The initial snapshot. Only mass, id, type and component of its particles are kept; positions
  /// and velocities are in `state`.
  Snapshot snapshot;
  SimulationState state;
  /// Numbers of the run by their names: seconds spent, files written.
  std::map<std::string, double> progress;
  std::map<std::string, std::string> options;  ///< of the program that wrote it
};

/// Files of the newest checkpoint of a folder and of the one before.
std::filesystem::path checkpoint_path(const std::filesystem::path& folder);
std::filesystem::path previous_checkpoint_path(const std::filesystem::path& folder);

/// What happens to the newest checkpoint of a folder when a newer one is written.
enum class Newest { becomes_previous, is_replaced };

/// Writes the newest checkpoint of a folder.
/// \param tables logs whose rows so far are stored in the file
/// \throws WriteError if the disk is full, InputError if the folder is not there or may not be
///         written to; the existing checkpoints then stay
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const Provenance& provenance, std::span<TableWriter* const> tables,
                      Newest newest = Newest::becomes_previous);

/// Reads one checkpoint. Throws InputError if it is missing, if its checksum is wrong, if it is
/// none, or if what it holds makes no sense.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// A checkpoint and the file that it was in.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::filesystem::path path;
  std::string problem;  ///< why the newest could not be used; empty if this is the newest

  /// What to tell the user where this is not the newest; else empty.
  std::string warning() const;
  /// What is to happen to the newest: a damaged one must not replace this one.
  Newest newest() const { return problem.empty() ? Newest::becomes_previous : Newest::is_replaced; }
};

/// The newest checkpoint of a folder or, where that is damaged, the previous one; nothing where
/// there is none. Throws InputError if there are some, but none is whole.
std::optional<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder);

}  // namespace gothic::files
