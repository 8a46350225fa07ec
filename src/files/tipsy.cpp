#include "files/tipsy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "files/error.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/tipsy_units.hpp"

namespace gothic::files {
namespace {

struct Header {
  double time = 0;
  std::int32_t particles = 0, dimensions = 3, gas = 0, dark = 0, stars = 0, padding = 0;
};
using HeaderBytes = std::array<char, 32>;
static_assert(sizeof(Header) == sizeof(HeaderBytes));

/// A record has mass, position and velocity, then numbers that differ between the kinds, and the
/// potential as its last number.
using Record = std::array<float, 11>;
struct Kind {
  const char* name;
  std::uint8_t type;  ///< type of the particles in a snapshot
  std::size_t numbers, softening;

  std::streamsize bytes() const { return static_cast<std::streamsize>(numbers * sizeof(float)); }
};
constexpr Kind dark{.name = "dark", .type = 1, .numbers = 9, .softening = 7};
/// Stars have a metallicity and the time of their birth before the softening.
constexpr Kind star{.name = "star", .type = 4, .numbers = 11, .softening = 9};
constexpr std::size_t mass = 0, position = 1, velocity = 4;

/// Reverses the byte order of each 32-bit word.
void reverse_words(std::span<char> bytes) {
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4)
    std::ranges::reverse(bytes.subspan(at, 4));
}

void reverse(HeaderBytes& header) {
  const std::span<char> bytes(header);
  std::ranges::reverse(bytes.first(sizeof(double)));
  reverse_words(bytes.subspan(sizeof(double)));
}

void reverse(Record& record) {
  reverse_words({reinterpret_cast<char*>(record.data()), sizeof(Record)});
}

bool has_tipsy_dimensions(const Header& header) {
  return header.dimensions >= 1 && header.dimensions <= 3;
}

/// A TIPSY file opened for reading. Its errors are InputErrors that name it.
class TipsyFile {
 public:
  explicit TipsyFile(const std::filesystem::path& path) : path_(path) {
    require_readable(path);
    in_.open(path, std::ios::binary);
    read_header();
    check_header();
  }

  [[noreturn]] void fail(const std::string& field, const std::string& problem) const {
    throw InputError(path_.string() + ": " + field + ": " + problem);
  }

  const Header& header() const { return header_; }

  Record next(const Kind& kind) {
    Record record{};
    if (!in_.read(reinterpret_cast<char*>(record.data()), kind.bytes())) {
      fail("input", "cannot be read; copy it again");
    }
    if (reversed_) reverse(record);
    return record;
  }

 private:
  void read_header();
  void check_header() const;

  std::filesystem::path path_;
  std::ifstream in_;
  Header header_;
  bool reversed_ = false;  ///< whether this machine has the other byte order
};

void TipsyFile::read_header() {
  HeaderBytes bytes{};
  in_.read(bytes.data(), bytes.size());
  header_ = std::bit_cast<Header>(bytes);
  reversed_ = !has_tipsy_dimensions(header_);
  if (reversed_) {
    reverse(bytes);
    header_ = std::bit_cast<Header>(bytes);
  }
  if (!in_ || !has_tipsy_dimensions(header_)) {
    fail("input", "is neither an HDF5 nor a TIPSY file; give one of these");
  }
}

void TipsyFile::check_header() const {
  const auto& [time, particles, dimensions, gas, dark_ones, stars, padding] = header_;
  if (dimensions < 3) {
    fail("ndim", fmt::format("is {}; give a file of three dimensions", dimensions));
  }
  for (const auto& [field, count] :
       {std::pair("nbodies", particles), {"nsph", gas}, {"ndark", dark_ones}, {"nstar", stars}}) {
    if (count >= 0) continue;
    fail(field, "is negative; the header is damaged, write or copy the file again");
  }
  if (std::int64_t{particles} != std::int64_t{gas} + dark_ones + stars) {
    fail("nbodies",
         "is not the sum of nsph, ndark and nstar; the header is damaged, write or copy the file "
         "again");
  }
  if (particles == 0) fail("nbodies", "the file holds no particles; give at least one");
  if (gas > 0) {
    fail("nsph", fmt::format("the file holds gas, {} particles; remove them, only dark matter and "
                             "stars are known here",
                             gas));
  }
  const auto wanted =
      std::uintmax_t(sizeof(Header) + dark_ones * dark.bytes() + stars * star.bytes());
  const std::uintmax_t found = std::filesystem::file_size(path_);
  if (found != wanted) {
    fail("input", fmt::format("has {} bytes, but {} dark and {} star particles in single precision "
                              "take {}; write or copy it again",
                              found, dark_ones, stars, wanted));
  }
  if (!std::isfinite(time)) fail("time", "is not finite; correct it");
}

/// The softening of all particles, as the shortest decimal number that is equal in single
/// precision; 0 if the softenings differ.
double common(std::span<const float> softenings) {
  const bool differ =
      std::ranges::adjacent_find(softenings, std::not_equal_to()) != softenings.end();
  return differ ? 0 : std::stod(fmt::format("{}", softenings.front()));
}

double softening_of(const Snapshot& snapshot, std::int32_t component) {
  const auto k = static_cast<std::size_t>(component);
  const double own = k < snapshot.components.size() ? snapshot.components[k].softening : 0;
  return own > 0 ? own : snapshot.softening;
}

void write_header(std::ostream& out, const Snapshot& about, const TypeCounts& counts) {
  Header header{.time = about.time * std::sqrt(about.units.gravitational_constant())};
  header.particles =
      static_cast<std::int32_t>(std::reduce(counts.begin(), counts.end(), std::size_t{0}));
  header.stars = static_cast<std::int32_t>(counts[star.type]);
  header.dark = header.particles - header.stars;
  auto bytes = std::bit_cast<HeaderBytes>(header);
  if (std::endian::native != std::endian::big) reverse(bytes);
  out.write(bytes.data(), bytes.size());
}

/// Writes particle i; metallicity, birth and potential are zero.
void write_record(std::ostream& out, const Snapshot& about, const Particles& particles,
                  std::size_t i, const Kind& kind, double velocity_unit) {
  Record record{particles.mass[i]};
  for (std::size_t k = 0; k < 3; ++k) {
    record[position + k] = particles.position[i][k];
    record[velocity + k] = static_cast<float>(particles.velocity[i][k] / velocity_unit);
  }
  record[kind.softening] = static_cast<float>(softening_of(about, particles.component[i]));
  if (std::endian::native != std::endian::big) reverse(record);
  out.write(reinterpret_cast<const char*>(record.data()), kind.bytes());
}

const Kind& kind_of(int type) { return type == star.type ? star : dark; }

void require_writable(const std::filesystem::path& path, const TypeCounts& counts) {
  if (std::reduce(counts.begin(), counts.end(), std::size_t{0}) > INT32_MAX) {
    throw InputError(path.string() +
                     ": output: a TIPSY file holds 2147483647 particles at most; write HDF5");
  }
  if (path == tipsy::units_path(path)) {
    throw InputError(path.string() +
                     ": output: the file of units has the suffix .param; choose another suffix");
  }
}

}  // namespace

Snapshot read_tipsy(const std::filesystem::path& path) {
  TipsyFile file(path);
  Snapshot snapshot{.units = tipsy::read_units(path), .particles = {}};
  const double velocity_unit = std::sqrt(snapshot.units.gravitational_constant());
  snapshot.time = file.header().time / velocity_unit;
  if (!std::isfinite(snapshot.time)) file.fail("time", "is beyond range; correct it");

  Particles& particles = snapshot.particles;
  const auto n = static_cast<std::size_t>(file.header().particles);
  particles.resize(n);
  std::iota(particles.id.begin(), particles.id.end(), std::uint64_t{1});
  std::vector<float> softening(n);
  std::size_t first = 0;
  for (const auto& [kind, count] :
       {std::pair(dark, file.header().dark), {star, file.header().stars}}) {
    if (count == 0) continue;
    const std::size_t end = first + static_cast<std::size_t>(count);
    for (std::size_t i = first; i < end; ++i) {
      const Record record = file.next(kind);
      particles.mass[i] = record[mass];
      for (std::size_t k = 0; k < 3; ++k) {
        particles.position[i][k] = record[position + k];
        particles.velocity[i][k] = static_cast<float>(record[velocity + k] * velocity_unit);
      }
      particles.type[i] = kind.type;
      particles.component[i] = static_cast<std::int32_t>(snapshot.components.size());
      softening[i] = record[kind.softening];
      if (!(std::isfinite(softening[i]) && softening[i] >= 0)) {
        file.fail("eps",
                  fmt::format("is negative or not finite for particle {}; correct it", i + 1));
      }
    }
    snapshot.components.push_back(
        {kind.name, kind.type, common(std::span(softening).subspan(first, end - first))});
    first = end;
  }
  snapshot.softening = common(softening);
  validate(snapshot, Masses::needed,
           [&](int, const std::string& field, const std::string& problem) {
             file.fail(field, problem);
           });
  return snapshot;
}

TipsyWriter::TipsyWriter(const std::filesystem::path& path, const Snapshot& about,
                         const TypeCounts& counts, const Provenance& provenance)
    : file_(path),
      about_{.units = about.units,
             .time = about.time,
             .softening = about.softening,
             .components = about.components,
             .particles = {}},
      left_(counts),
      path_(path) {
  require_writable(path, counts);
  if (tipsy::needs_units_file(path, about.units)) {
    units_text_ = tipsy::units_text(path, about.units, provenance);
  }
  write_header(file_.out(), about_, counts);
  std::streamoff next = sizeof(Header);
  for (const int type : {0, 1, 2, 3, 5, 4}) {  // stars last
    next_[type] = next;
    next += kind_of(type).bytes() * static_cast<std::streamoff>(counts[type]);
  }
}

void TipsyWriter::add(const Particles& particles) {
  const double velocity_unit = std::sqrt(about_.units.gravitational_constant());
  for_runs(particles.type, [&](int type, std::size_t first, std::size_t count) {
    if (type >= particle_types || count > left_[type]) {
      throw std::logic_error("more particles of type " + std::to_string(type) +
                             " than were told of");
    }
    file_.out().seekp(next_[type]);
    for (std::size_t i = first; i < first + count; ++i) {
      write_record(file_.out(), about_, particles, i, kind_of(type), velocity_unit);
    }
    left_[type] -= count;
    next_[type] += kind_of(type).bytes() * static_cast<std::streamoff>(count);
  });
  file_.check();
}

void TipsyWriter::commit() {
  if (left_ != TypeCounts{}) throw std::logic_error("fewer particles than were told of");
  file_.close();
  if (units_text_) {
    ByteFile units(tipsy::units_path(path_));
    units.out() << *units_text_;
    units.commit();
  }
  file_.commit();
}

void write_tipsy(const std::filesystem::path& path, const Snapshot& snapshot,
                 const Provenance& provenance) {
  const Particles& particles = snapshot.particles;
  TipsyWriter writer(path, snapshot, counts_of(particles.type), provenance);
  for_ordered_pieces(
      particles, [&](std::span<const std::size_t> order) { writer.add(picked(particles, order)); });
  writer.commit();
}

}  // namespace gothic::files
