#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/engine/simulation_state.hpp"
#include "files/hdf5.hpp"
#include "files/output_file.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "files/table.hpp"

/// Checkpoints: everything that the further course of a run depends on, in one HDF5 file with a
/// checksum. They appear when they are complete, and the one before is kept.
namespace gothic::files {

/// The state of a run.
struct Checkpoint {
  /// The initial snapshot. Only mass, id, type and component of its particles are kept; positions
  /// and velocities are in `state`.
  Snapshot snapshot;
  SimulationState state;
  /// Numbers of the run by their names: seconds spent, files written.
  std::map<std::string, double> progress;
  std::map<std::string, std::string> options;  ///< options of the program that wrote it
};

/// How the rows of an array are distributed over ranks.
enum class Distribution {
  input,   ///< one for each particle of the input that the rank has
  domain,  ///< one for each particle of the rank's domain
  opened,  ///< one for each cell that others may open, see OpenedCells
  ranks    ///< one for each rank
};

/// Calls use(name, distribution, values) for every array.
template <class SomeCheckpoint, class Use>
void for_each_array(SomeCheckpoint& checkpoint, Use use) {
  auto& particles = checkpoint.snapshot.particles;
  use("Particles/ParticleIDs", Distribution::input, particles.id);
  use("Particles/Masses", Distribution::input, particles.mass);
  use("Particles/Type", Distribution::input, particles.type);
  use("Particles/Component", Distribution::input, particles.component);
  auto& state = checkpoint.state;
  for (auto& field : state.fields) {
    std::visit([&](auto& values) { use("State/" + field.name, Distribution::domain, values); },
               field.values);
  }
  use("State/Key", Distribution::domain, state.keys);
  use("State/OpenedCells", Distribution::opened, state.opened.cells);
  use("State/OpenedCounts", Distribution::ranks, state.opened.counts);
}

/// Files of the newest checkpoint of a folder and of the one before.
std::filesystem::path checkpoint_path(const std::filesystem::path& folder);
std::filesystem::path previous_checkpoint_path(const std::filesystem::path& folder);

/// What happens to the newest checkpoint of a folder when a newer one is written.
enum class Newest { becomes_previous, is_replaced };

/// The lengths of all arrays of a checkpoint, in a fixed order.
std::vector<std::uint64_t> array_lengths(const Checkpoint& checkpoint);

/// Writes the newest checkpoint of a folder, one rank's part after the other. It appears when it is
/// complete; the existing checkpoints stay until then.
class CheckpointWriter {
 public:
  /// Throws InputError if the folder is not there or may not be written to.
  /// \param about a checkpoint of the run; its arrays do not count
  /// \param lengths array_lengths(), summed over the ranks
  CheckpointWriter(std::filesystem::path folder, const Checkpoint& about,
                   std::span<const std::uint64_t> lengths, const Provenance& provenance);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Adds the arrays of the next rank. Throws WriteError if the disk is full, as commit() does.
  void add(const Checkpoint& part);

  /// Completes the checkpoint.
  /// \param tables logs whose rows so far are stored in the file
  void commit(std::span<TableWriter* const> tables, Newest newest = Newest::becomes_previous);

 private:
  struct Array {
    hdf5::Handle dataset;
    std::size_t rows = 0;  ///< rows written so far
  };

  std::filesystem::path folder_;
  std::optional<OutputFile> file_;  // closed while the library is locked
  std::vector<Array> arrays_;
  std::vector<std::uint64_t> inputs_, domains_;  ///< [ranks] numbers of particles
};

/// Writes the checkpoint of a run on one rank: see CheckpointWriter.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint,
                      const Provenance& provenance, std::span<TableWriter* const> tables,
                      Newest newest = Newest::becomes_previous);

/// The number of a rank, and the number of ranks.
struct Rank {
  std::size_t number = 0, size = 1;
};

/// Reads the part of a checkpoint that belongs to a rank: the part that it wrote or, if another
/// number of ranks wrote the file, equal parts of the particles in the order of the input and of
/// the particles in the order of the tree. Throws InputError if the file is missing, is no
/// checkpoint, has a wrong checksum or holds what makes no sense.
Checkpoint read_checkpoint(const std::filesystem::path& path, const Rank& own = {});

/// Reads the same part without checking the checksum.
Checkpoint read_part_of_checkpoint(const std::filesystem::path& path, const Rank& own);

/// A checkpoint and the file that it was in.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::filesystem::path path;
  std::string problem;  ///< why the newest was not used; empty if this is the newest

  /// What to tell the user if this is not the newest checkpoint; else empty.
  std::string warning() const;
  /// What happens to the newest checkpoint: a damaged one must not become the previous one, and so
  /// replace this one.
  Newest newest() const { return problem.empty() ? Newest::becomes_previous : Newest::is_replaced; }
};

/// Reads a checkpoint; throws InputError.
using ReadCheckpoint = std::function<Checkpoint(const std::filesystem::path&)>;

/// Reads the checkpoint of a run on one rank.
inline Checkpoint read_whole_checkpoint(const std::filesystem::path& path) {
  return read_checkpoint(path);
}

/// The newest checkpoint of a folder or, if it is damaged, the previous one; nothing if the folder
/// has none. Throws InputError if there are checkpoints, but none is whole.
std::optional<FoundCheckpoint> find_checkpoint(const std::filesystem::path& folder,
                                               const ReadCheckpoint& read = read_whole_checkpoint);

}  // namespace gothic::files
