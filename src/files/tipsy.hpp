#pragma once

#include <filesystem>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"

/// Snapshots in the binary TIPSY format of gasoline, ChaNGa and PKDGRAV: a header, then the
/// particles record by record in single precision, dark matter first, stars after it.
///
/// In this format G = 1, and there are no units. They are in a text file beside it: see
/// files/tipsy_units.hpp.
namespace gothic::files {

/// Reads and validates a file of either byte order. The softenings of the records become that of
/// the snapshot and of its components "dark" (type 1) and "star" (type 4), where they are equal.
/// IDs are 1, 2, ... in the order of the file. Velocities are multiples of 1 km/s where the file
/// has physical units. Throws InputError if the file is missing or no TIPSY file, if its length is
/// not that of the particles in its header, if it has gas or other than three dimensions, holds a
/// number that is not finite, a negative mass or softening or no mass at all, or if its units are
/// unclear.
Snapshot read_tipsy(const std::filesystem::path& path);

/// Writes a snapshot, big-endian: the stars are the particles of type 4, all others are dark
/// matter; both by type and within a type in the order of the IDs. The softening of a particle is
/// that of its component, or the snapshot's. The file and that of its units appear when they are
/// complete. Throws InputError if the folder cannot be written to, the file would hold more than
/// 2^31 - 1 particles or its units are taken by another file, WriteError if the disk is full.
void write_tipsy(const std::filesystem::path& path, const Snapshot& snapshot,
                 const Provenance& provenance);

}  // namespace gothic::files
