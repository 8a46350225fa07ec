#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/snapshot.hpp"
#include "files/tipsy.hpp"
#include "files/tipsy_format.hpp"

namespace gothic::files {
namespace {

using tipsy::Header;
using tipsy::Record;

/// A file of bytes that appears under its name only when it is complete: see PartialFile.
class ByteFile {
 public:
  explicit ByteFile(std::filesystem::path path) : names_(std::move(path)) {
    file_ = std::fopen(names_.partial().c_str(), "wb");
    if (!file_) names_.fail(std::strerror(errno));
  }
  ~ByteFile() {
    if (file_) std::fclose(file_);
  }
  ByteFile(const ByteFile&) = delete;
  ByteFile& operator=(const ByteFile&) = delete;

  void write(const char* bytes, std::size_t count) {
    if (std::fwrite(bytes, 1, count, file_) != count) names_.fail(std::strerror(errno));
  }

  /// Throws WriteError if what was written does not reach the file.
  void close() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) names_.fail(std::strerror(errno));
  }

  /// After close().
  void commit() { names_.commit(); }

 private:
  PartialFile names_;
  std::FILE* file_ = nullptr;
};

/// The types of particles that become records of `kind`.
std::vector<std::uint8_t> types_of(const Record& kind) {
  if (kind.type == tipsy::star_record.type) return {kind.type};
  std::vector<std::uint8_t> types;
  for (std::uint8_t type = 0; type < particle_types; ++type) {
    if (type != tipsy::star_record.type) types.push_back(type);
  }
  return types;
}

double softening_of(const Snapshot& snapshot, std::int32_t component) {
  const auto k = static_cast<std::size_t>(component);
  const double own = k < snapshot.components.size() ? snapshot.components[k].softening : 0;
  return own > 0 ? own : snapshot.softening;
}

void write_header(ByteFile& file, const Snapshot& snapshot) {
  const std::size_t particles = snapshot.particles.size();
  const auto stars = static_cast<std::size_t>(
      std::ranges::count(snapshot.particles.type, tipsy::star_record.type));
  std::array<char, Header::bytes> header{};
  const auto put = [&](std::size_t at, std::size_t value) {
    tipsy::store(header.data() + at, static_cast<std::int32_t>(value));
  };
  tipsy::store(header.data() + Header::time,
               snapshot.time * std::sqrt(snapshot.units.gravitational_constant()));
  put(Header::particles, particles);
  put(Header::dimensions, 3);
  put(Header::dark, particles - stars);
  put(Header::stars, stars);
  file.write(header.data(), header.size());
}

/// Puts one particle to `record`, whose other numbers (metallicity, birth, potential) stay zero.
void put_record(const Snapshot& snapshot, std::size_t i, double velocity_unit, const Record& kind,
                char* record) {
  const Particles& particles = snapshot.particles;
  const auto put = [&](std::size_t word, double value) {
    tipsy::store(record + word * sizeof(float), static_cast<float>(value));
  };
  put(Record::mass, particles.mass[i]);
  for (std::size_t k = 0; k < 3; ++k) {
    put(Record::position + k, particles.position[i][k]);
    put(Record::velocity + k, particles.velocity[i][k] / velocity_unit);
  }
  put(kind.softening, softening_of(snapshot, particles.component[i]));
}

void write_records(ByteFile& file, const Snapshot& snapshot, const Record& kind) {
  const Particles& particles = snapshot.particles;
  const double velocity_unit = std::sqrt(snapshot.units.gravitational_constant());
  std::vector<char> piece(tipsy::records_per_piece * kind.bytes());
  for (const std::uint8_t type : types_of(kind)) {
    std::size_t filled = 0;
    for (const std::size_t i : order_by_id(particles.type, particles.id, type)) {
      put_record(snapshot, i, velocity_unit, kind, piece.data() + filled);
      filled += kind.bytes();
      if (filled < piece.size()) continue;
      file.write(piece.data(), filled);
      filled = 0;
    }
    file.write(piece.data(), filled);
  }
}

void require_writable(const std::filesystem::path& path, const Snapshot& snapshot) {
  if (snapshot.particles.size() > INT32_MAX) {
    throw InputError(path.string() +
                     ": output: a TIPSY file holds 2147483647 particles at most; write HDF5");
  }
  if (path == tipsy::units_path(path)) {
    throw InputError(path.string() +
                     ": output: the suffix .param is that of the file's units; "
                     "choose another");
  }
}

}  // namespace

void write_tipsy(const std::filesystem::path& path, const Snapshot& snapshot,
                 const Provenance& provenance) {
  require_writable(path, snapshot);
  const bool with_units = tipsy::needs_units_file(path, snapshot.units);
  ByteFile file(path);
  write_header(file, snapshot);
  write_records(file, snapshot, tipsy::dark_record);
  write_records(file, snapshot, tipsy::star_record);
  file.close();
  if (with_units) {
    const std::string text = tipsy::units_text(path, snapshot.units, provenance);
    ByteFile units(tipsy::units_path(path));
    units.write(text.data(), text.size());
    units.close();
    units.commit();
  }
  file.commit();
}

}  // namespace gothic::files
