#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/vec4.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "files/table.hpp"

/// Checkpoints: everything that the further course of a run depends on, in one HDF5 file with a
/// checksum. They appear when they are complete, and the one before is kept.
namespace gothic::files {

/// State of a simulation; see Simulation::state().
struct SimulationState {
  // those of TimeGrid
  static constexpr std::int64_t highest_level = 36;
  static constexpr std::int64_t last_tick = std::int64_t{1} << 62;

  // [n] in the order of the tree, each particle at the time when it was synchronised last
  std::vector<Vec4> position;           ///< position, mass
  std::vector<Vec4> velocity;           ///< velocity
  std::vector<Vec4> acceleration;       ///< acceleration, potential
  std::vector<std::uint8_t> level;      ///< of the time grid
  std::vector<std::uint32_t> slot;      ///< place of the particle in the snapshot
  std::vector<std::uint64_t> keys;      ///< when the tree was built, ascending
  std::array<std::int64_t, 5> ticks{};  ///< time, end, highest level, step, whether synchronised
  std::vector<double> numbers;          ///< other times and what was tuned; see tuning/state.hpp
};

/// State of a run.
struct Checkpoint {
  /// The initial one, of whose particles mass, id, type and component are told; positions and
  /// velocities are those of the state.
  Snapshot snapshot;
  SimulationState state;
  /// Of the run: where its time went, what it has written.
  std::map<std::string, double> progress;
  std::map<std::string, std::string> options;  ///< of the program that wrote it
};

/// The newest checkpoint of a folder and the one before.
std::filesystem::path checkpoint_path(const std::filesystem::path& folder);
std::filesystem::path previous_checkpoint_path(const std::filesystem::path& folder);

/// Whether the folder has either, be it a link to nowhere.
/// \throws InputError if one of the names is taken by what is no file
bool has_checkpoint(const std::filesystem::path& folder);

/// What becomes of the newest checkpoint of a folder when there is a newer one.
enum class Newest { becomes_previous, is_replaced };

/// Writes the newest checkpoint of a folder.
/// \param tables logs, of which the rows so far become part of the file
/// \throws WriteError if the disk is full, InputError if the folder is not there or may not be
///         written to; both files are then as they were
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
  std::string problem;  ///< why it is not the newest; empty if it is
};

/// The newest checkpoint of a folder or, where that is damaged, the previous one; nothing where
/// there is none. Throws InputError if there are some, but none is whole.
std::optional<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder);

}  // namespace gothic::files
