#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "files/position_rounding.hpp"
#include "files/snapshot.hpp"

namespace gothic::files {

class ParticleFile;

/// What a user decides about content that has no meaning here, and is told of a file.
struct Reading {
  bool gas_is_collisionless = false;  ///< otherwise gas is refused
  bool ignores_box = false;           ///< otherwise a periodic box is refused
  /// How remedies name the two choices.
  std::string gas_choice = "--gas collisionless", box_choice = "--box ignore";
  /// Gets "FILE: what was assumed or converted".
  std::function<void(const std::string& note)> tell = {};
};

/// A snapshot of any known format (docs/formats.md), of one or several files, that is read in
/// slices. Its particles are ordered by type, then by file, and then as in the file. Numbers become
/// physical ones. Particles of a type beyond 5 get type 1.
///
/// Where IDs are missing in all types they become 1, 2, ....
class SnapshotReader {
 public:
  /// Reads everything but the particles.
  /// \param path the file, or any one of several
  /// \throws InputError if a file is missing, damaged or incomplete, has no known format, or other
  ///         numbers of particles than it says; if there are no particles; if there is gas or a box
  ///         and `reading` does not say what to do
  explicit SnapshotReader(std::filesystem::path path, const Reading& reading = {});
  ~SnapshotReader();
  SnapshotReader(SnapshotReader&&) noexcept;
  SnapshotReader& operator=(SnapshotReader&&) noexcept;

  /// The snapshot without its particles.
  const Snapshot& about() const { return about_; }
  const std::filesystem::path& path() const { return path_; }
  /// Number of particles.
  std::size_t size() const;
  /// The particles [first, first + count), which are not validated. Throws InputError if the file
  /// is damaged or incomplete, and after the last particle if single precision cannot hold the
  /// positions that were read.
  Particles read(std::size_t first, std::size_t count);

 private:
  /// The particles of one type in one file.
  struct Part {
    const ParticleFile* file;
    std::size_t type, count;
  };

  std::filesystem::path path_;
  std::vector<std::unique_ptr<ParticleFile>> files_;
  std::vector<Part> parts_;
  bool has_ids_ = false;
  Snapshot about_;
  PositionRounding rounding_;
};

/// Reads a whole snapshot and validates it. Throws InputError as the reader does, and if anything
/// is wrong with the particles.
Snapshot read_snapshot(SnapshotReader&& reader, Masses masses);
Snapshot read_snapshot(const std::filesystem::path& path, Masses masses = Masses::needed,
                       const Reading& reading = {});

}  // namespace gothic::files
