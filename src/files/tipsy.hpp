#pragma once

#include <array>
#include <filesystem>
#include <ios>
#include <optional>
#include <string>
#include <vector>

#include "files/binary_input.hpp"
#include "files/output_file.hpp"
#include "files/particle_file.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"

/// Snapshots in the binary TIPSY format of gasoline, ChaNGa and PKDGRAV: a header, then the
/// particles record by record in single precision, dark matter first, stars after it.
///
/// The format has no units, and G = 1. A text file beside the snapshot has the units: see
/// files/units_file.hpp.
namespace gothic::files {

/// A file of either byte order. If the softenings of the records are equal, they become the
/// softening of the snapshot and of its components "gas" (type 0), "dark" (type 1) and "star" (type
/// 4). There are no IDs. Velocities are multiples of 1 km/s if the file has physical units. Refused
/// are files whose length does not fit the particles in the header, other than three dimensions,
/// softenings that are negative or not finite, and unclear or comoving units.
class TipsyFile : public ParticleFile {
 public:
  explicit TipsyFile(const std::filesystem::path& path);

  /// Whether a file begins as one of this format does.
  static bool is_one(const std::filesystem::path& path);

  void read(const Block& block, Particles& particles, PositionRounding& rounding,
            bool with_ids) const override;

 private:
  void read_softenings(BinaryInput& in);

  std::filesystem::path path_;
  bool reversed_ = false;
};

/// Bytes of a particle of dark matter; a star takes two words more.
inline constexpr double bytes_of_tipsy_particle = 36;

/// Writes a snapshot piece by piece, big-endian: the stars are the particles of type 4, all others
/// are dark matter. Both are ordered by type, and within a type as they come. A particle gets the
/// softening of its component, or else of the snapshot. The file and its file of units appear when
/// they are complete.
///
/// All functions throw WriteError if the disk is full, and std::logic_error if the numbers of
/// particles differ from `counts`.
class TipsyWriter {
 public:
  /// Begins a file. Throws InputError if the folder cannot be written to, there are more than
  /// 2^31 - 1 particles, or the file of units belongs to another file.
  /// \param about the snapshot; its particles do not count
  /// \param counts numbers of the particles that will be added
  TipsyWriter(const std::filesystem::path& path, const Snapshot& about, const TypeCounts& counts,
              const Provenance& provenance);

  void add(const Particles& particles);

  /// Completes the files and gives them their names.
  void commit();

 private:
  ByteFile file_;
  Snapshot about_;                                     // without particles
  std::optional<std::string> units_text_;              // nothing if a file has these units
  TypeCounts left_;                                    // particles of each type still to come
  std::array<std::streamoff, particle_types> next_{};  // where the next of each type goes
  std::filesystem::path path_;
};

/// Writes a whole snapshot with a TipsyWriter, within each type in the order of the IDs.
void write_tipsy(const std::filesystem::path& path, const Snapshot& snapshot,
                 const Provenance& provenance);

}  // namespace gothic::files
