#pragma once

#include <array>
#include <filesystem>
#include <ios>
#include <optional>
#include <string>
#include <vector>

#include "files/output_file.hpp"
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

/// Writes a snapshot piece by piece, big-endian: the stars are the particles of type 4, all others
/// are dark matter. Both lie by type, and within a type in the order in which they come. The
/// softening of a particle is that of its component, or the snapshot's. The file and that of its
/// units appear when they are complete.
///
/// Its functions throw WriteError if the disk is full, and std::logic_error for more or fewer
/// particles than were told of.
class TipsyWriter {
 public:
  /// Begins a file. Throws InputError if the folder cannot be written to, there are more than
  /// 2^31 - 1 particles, or the file of the units is that of another file.
  /// \param about has everything but the particles, of which there need not be any
  /// \param counts of the particles that will be added
  TipsyWriter(const std::filesystem::path& path, const Snapshot& about, const TypeCounts& counts,
              const Provenance& provenance);

  void add(const Particles& particles);

  /// Completes the files and gives them their names.
  void commit();

 private:
  ByteFile file_;
  Snapshot about_;                                     // without particles
  std::optional<std::string> units_text_;              // unless another file tells the same units
  TypeCounts left_;                                    // particles of each type that are to come
  std::array<std::streamoff, particle_types> next_{};  // where those go
  std::filesystem::path path_;
};

/// Writes a snapshot so, within each type in the order of the IDs.
void write_tipsy(const std::filesystem::path& path, const Snapshot& snapshot,
                 const Provenance& provenance);

}  // namespace gothic::files
