#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/position_rounding.hpp"
#include "files/snapshot.hpp"

namespace gothic::files {

/// What the numbers of a file are multiplied by.
struct Factors {
  double length = 1, mass = 1, velocity = 1;
};

/// Something in a file that forces here do not know.
struct Stranger {
  double size = 0;    ///< 0 if it is not there
  std::string field;  ///< where the file tells of it
};

/// What a file tells of its particles. Times, lengths and so on are those after the conversion.
struct FileFacts {
  std::vector<std::size_t> counts = {};    ///< particles of each type in this file
  std::vector<double> counts_of_all = {};  ///< in all files of the snapshot; empty if not told
  std::string counts_field = {};           ///< where the counts stand
  std::size_t files = 1;                   ///< files of the snapshot
  Units units = {};
  Factors factors = {};
  double time = 0;
  double softening = 0;
  std::vector<ComponentInfo> components = {};
  bool has_ids = true;
  Stranger gas = {};                    ///< number of particles
  Stranger box = {};                    ///< side of a periodic box
  std::vector<std::string> notes = {};  ///< what was assumed or converted
};

/// Particles of one type that follow one another in a file and in arrays.
struct Block {
  std::size_t type;
  std::size_t first_in_file;  ///< among those of its type
  std::size_t first, count;

  template <class T>
  std::span<T> of(std::vector<T>& values) const {
    return std::span(values).subspan(first, count);
  }
};

/// One file of particles, whatever its format. All functions throw InputError if the file is
/// damaged or incomplete.
class ParticleFile {
 public:
  virtual ~ParticleFile() = default;

  const FileFacts& facts() const { return facts_; }

  /// Reads masses, positions, velocities and components of a block, multiplied by the factors.
  /// \param rounding gets positions that the file has in double precision
  /// \param with_ids whether to read IDs, too, which the file must have
  virtual void read(const Block& block, Particles& particles, PositionRounding& rounding,
                    bool with_ids) const = 0;

 protected:
  FileFacts facts_;
};

/// Opens a file whose content shows its format: HDF5 of GADGET, AREPO and SWIFT, binary files of
/// GADGET-2, TIPSY. Throws InputError if the file is missing, damaged or has no such format.
std::unique_ptr<ParticleFile> open_particle_file(const std::filesystem::path& path);

/// Rows of a file, in double precision.
template <class Row>
struct DoubleOf {
  using Type = double;
};
template <std::size_t columns>
struct DoubleOf<std::array<float, columns>> {
  using Type = std::array<double, columns>;
};

inline void scale(float& to, double from, double factor) { to = to_single(from * factor); }
template <std::size_t columns>
void scale(std::array<float, columns>& to, const std::array<double, columns>& from, double factor) {
  for (std::size_t k = 0; k < columns; ++k) to[k] = to_single(from[k] * factor);
}

/// Reads rows in double precision, in pieces that need little memory, and multiplies them.
/// \param read read(first, piece) reads the rows of `piece`, of which the first is rows[first]
template <class Row, class Read>
void read_scaled(std::span<Row> rows, double factor, Read read) {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::vector<typename DoubleOf<Row>::Type> piece(std::min(most, rows.size()));
  for (std::size_t first = 0; first < rows.size(); first += most) {
    const auto part = std::span(piece).first(std::min(most, rows.size() - first));
    read(first, part);
    for (std::size_t i = 0; i < part.size(); ++i) scale(rows[first + i], part[i], factor);
  }
}

}  // namespace gothic::files
