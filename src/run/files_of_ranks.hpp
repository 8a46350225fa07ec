#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/engine/simulation.hpp"
#include "core/messages/communicator.hpp"
#include "files/checkpoint.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"

/// Files that hold the particles of all ranks. The first rank writes them, and takes the parts of
/// the others in turn.
namespace gothic {

/// Writes a snapshot in the order of the IDs, in which the particles are already.
/// \param snapshot, forces part of this rank
/// \throws on the first rank what files::write_snapshot throws
void write_snapshot_of_ranks(Communicator& ranks, const std::filesystem::path& path,
                             files::Snapshot& snapshot, const files::Provenance& provenance,
                             files::Forces& forces, int compression);

/// Writes forces on the particles of a snapshot or, if there are some on any rank, at points.
/// \param snapshot, points part of this rank
/// \throws on the first rank what files::write_forces throws
template <class T>
void write_forces_of_ranks(Communicator& ranks, const std::filesystem::path& path,
                           const files::Snapshot& snapshot, const std::vector<files::Vec3>& points,
                           const files::BasicForces<T>& forces, const files::Attributes& timing,
                           const files::Provenance& provenance);

/// A checkpoint with the present state of a simulation, without progress and options.
/// \param snapshot its particles at any time: all that never changes is taken from there
/// \param start time at which the simulation began
files::Checkpoint new_checkpoint(Simulation& simulation, const files::Snapshot& snapshot,
                                 double start);

/// Calls use(part) on the first rank, with the parts of a checkpoint that the ranks have.
/// \param own part of this rank
void use_parts(Communicator& ranks, files::Checkpoint& own,
               const std::function<void(const files::Checkpoint& part)>& use);

/// Writes the newest checkpoint of a folder.
/// \param own part of this rank
/// \param tables of the first rank
/// \throws on all ranks what files::write_checkpoint throws
void write_checkpoint_of_ranks(Communicator& ranks, const std::filesystem::path& folder,
                               files::Checkpoint& own, const files::Provenance& provenance,
                               std::span<files::TableWriter* const> tables, files::Newest newest);

/// The part of this rank of the checkpoint that files::find_checkpoint finds.
/// \throws InputError as that does, and on several ranks for particles out of order
std::optional<files::FoundCheckpoint> find_checkpoint_of_ranks(Communicator& ranks,
                                                               const std::filesystem::path& folder);

}  // namespace gothic
