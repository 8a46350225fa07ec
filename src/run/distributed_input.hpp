#pragma once

#include <filesystem>
#include <functional>

#include "core/messages/communicator.hpp"
#include "files/snapshot.hpp"
#include "files/snapshot_reader.hpp"

namespace gothic {

/// Bytes of the host's memory, at least.
struct MemoryNeed {
  double to_read = 0;                       ///< to read a particle
  double to_work = 0;                       ///< to work on it, where the device is the host
  std::function<bool()> on_host = nullptr;  ///< tells whether it is; may take a while
};

/// Whether particles are in the order of (type, ID), on each rank and from each to the next.
bool in_order(Communicator& ranks, const files::Particles& particles);

/// Reads and validates a snapshot of which every rank gets a slice, with about as many particles
/// each, in the order of (type, ID), one rank's after another's. The first rank alone reads the
/// file, and never holds more than two slices. All else of the snapshot is the same on every rank.
/// One rank has the particles in the order of the file.
///
/// \param need of each particle
/// \param reading what the first rank does with gas and boxes, and whom it tells
/// \throws std::runtime_error where the particles of a machine's ranks need more memory than it has
/// free, before they are read; InputError as files::read_snapshot does on the ranks that find the
/// fault, and FailedElsewhere on the others
files::Snapshot read_in_parts(Communicator& ranks, const std::filesystem::path& path,
                              files::Masses masses, const MemoryNeed& need = {},
                              const files::Reading& reading = {});

}  // namespace gothic
