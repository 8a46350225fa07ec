#include "files/tipsy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "files/error.hpp"
#include "files/output_file.hpp"
#include "files/units_file.hpp"

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
/// Gas has density, temperature, softening and metallicity.
constexpr Kind gas{.name = "gas", .type = 0, .numbers = 12, .softening = 9};
/// Stars have a metallicity and the time of their birth before the softening.
constexpr Kind star{.name = "star", .type = 4, .numbers = 11, .softening = 9};
constexpr Kind kinds[] = {gas, dark, star};  // in the order of the file
constexpr std::size_t mass = 0, position = 1, velocity = 4;

/// Calls f(first, count) for pieces of so many records, which need little memory.
template <class F>
void for_pieces(std::size_t count, F&& f) {
  constexpr std::size_t most = std::size_t{1} << 16;
  for (std::size_t first = 0; first < count; first += most) f(first, std::min(most, count - first));
}

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

/// Reads the header in the byte order in which it has a number of dimensions; nothing if there is
/// none.
std::optional<Header> read_header(BinaryInput& in) {
  if (!in.has(0, sizeof(Header))) return {};
  const std::vector<char> bytes = in.read(0, sizeof(Header));
  for (const bool reversed : {false, true}) {
    in.set_reversed(reversed);
    Header header{.time = in.number_at<double>(bytes, 0)};
    std::int32_t* const numbers[] = {&header.particles, &header.dimensions, &header.gas,
                                     &header.dark, &header.stars};
    for (std::size_t k = 0; k < std::size(numbers); ++k) {
      *numbers[k] = in.number_at<std::int32_t>(bytes, sizeof(double) + 4 * k);
    }
    if (header.dimensions >= 1 && header.dimensions <= 3) return header;
  }
  return {};
}

void check(const Header& header, const BinaryInput& in) {
  const auto& [time, particles, dimensions, gas_ones, dark_ones, stars, padding] = header;
  if (dimensions < 3) {
    in.fail("ndim", fmt::format("is {}; give a file of three dimensions", dimensions));
  }
  for (const auto& [field, count] : {std::pair("nbodies", particles),
                                     {"nsph", gas_ones},
                                     {"ndark", dark_ones},
                                     {"nstar", stars}}) {
    if (count >= 0) continue;
    in.fail(field, "is negative; the header is damaged, write or copy the file again");
  }
  if (std::int64_t{particles} != std::int64_t{gas_ones} + dark_ones + stars) {
    in.fail(
        "nbodies",
        "is not the sum of nsph, ndark and nstar; the header is damaged, write or copy the file "
        "again");
  }
  const auto wanted =
      std::size_t(gas_ones * gas.bytes() + dark_ones * dark.bytes() + stars * star.bytes()) +
      sizeof(Header);
  if (in.bytes() != wanted) {
    in.fail(
        "input",
        fmt::format("has {} bytes, but {} gas, {} dark and {} star particles in single precision "
                    "take {}; write or copy it again",
                    in.bytes(), gas_ones, dark_ones, stars, wanted));
  }
  if (!std::isfinite(time)) in.fail("time", "is not finite; correct it");
}

/// The softening of all particles, as the shortest decimal number that is equal in single
/// precision; 0 if the softenings differ.
double common(float least, float most) {
  return least == most ? std::stod(fmt::format("{}", least)) : 0;
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
  if (path == units_path(path)) {
    throw InputError(path.string() +
                     ": output: the file of units has the suffix .param; choose another suffix");
  }
}

}  // namespace

bool TipsyFile::is_one(const std::filesystem::path& path) {
  BinaryInput in(path);
  return read_header(in).has_value();
}

TipsyFile::TipsyFile(const std::filesystem::path& path) : path_(path) {
  BinaryInput in(path);
  const std::optional<Header> header = read_header(in);
  if (!header) in.fail("ndim", "is none of 1, 2 and 3; give a TIPSY file");
  check(*header, in);
  reversed_ = in.reversed();
  const Parameters parameters = Parameters::beside(path);
  if (const std::string note = parameters.note(path); !note.empty()) facts_.notes.push_back(note);
  if (parameters.number("bComove").value_or(0) != 0) {
    throw InputError(
        parameters.file().string() +
        ": bComove: comoving coordinates of TIPSY are not known here; convert the file to physical "
        "ones");
  }
  facts_.units = parameters.units().value_or(Units());
  facts_.factors.velocity = std::sqrt(facts_.units.gravitational_constant());
  facts_.time = header->time / facts_.factors.velocity;
  if (!std::isfinite(facts_.time)) in.fail("time", "is beyond range; correct it");
  facts_.counts.resize(star.type + 1);
  facts_.counts[gas.type] = std::size_t(header->gas);
  facts_.counts[dark.type] = std::size_t(header->dark);
  facts_.counts[star.type] = std::size_t(header->stars);
  facts_.counts_field = "nbodies";
  facts_.gas = {double(header->gas), "nsph"};
  facts_.has_ids = false;
  read_softenings(in);
}

/// Names the components, in the order of the file, and finds out their softenings.
void TipsyFile::read_softenings(BinaryInput& in) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float least = infinity, most = 0;
  std::size_t at = sizeof(Header), particle = 0;
  for (const Kind& kind : kinds) {
    const std::size_t count = facts_.counts[kind.type];
    if (count == 0) continue;
    float own_least = infinity, own_most = 0;
    for_pieces(count, [&](std::size_t first, std::size_t some) {
      const std::vector<char> records =
          in.read(at + first * std::size_t(kind.bytes()), some * std::size_t(kind.bytes()));
      for (std::size_t i = 0; i < some; ++i) {
        const auto eps = in.number_at<float>(
            records, i * std::size_t(kind.bytes()) + kind.softening * sizeof(float));
        ++particle;
        if (!(std::isfinite(eps) && eps >= 0)) {
          in.fail("eps",
                  fmt::format("is negative or not finite for particle {}; correct it", particle));
        }
        own_least = std::min(own_least, eps);
        own_most = std::max(own_most, eps);
      }
    });
    facts_.components.push_back({kind.name, kind.type, common(own_least, own_most)});
    least = std::min(least, own_least);
    most = std::max(most, own_most);
    at += count * std::size_t(kind.bytes());
  }
  if (particle > 0) facts_.softening = common(least, most);
}

void TipsyFile::read(const Block& block, Particles& particles, PositionRounding&,
                     bool with_ids) const {
  if (with_ids) throw std::logic_error("TIPSY files have no IDs");
  BinaryInput in(path_);
  in.set_reversed(reversed_);
  std::size_t begin = sizeof(Header);
  std::int32_t component = 0;
  for (const Kind& before : kinds) {
    if (before.type == block.type) break;
    begin += facts_.counts[before.type] * std::size_t(before.bytes());
    component += facts_.counts[before.type] > 0 ? 1 : 0;
  }
  const Kind& kind = *std::ranges::find(kinds, block.type, &Kind::type);
  const auto width = std::size_t(kind.bytes());
  for_pieces(block.count, [&](std::size_t first, std::size_t some) {
    const std::vector<char> records =
        in.read(begin + (block.first_in_file + first) * width, some * width);
    for (std::size_t i = 0; i < some; ++i) {
      const auto number = [&](std::size_t k) {
        return in.number_at<float>(records, i * width + k * sizeof(float));
      };
      const std::size_t place = block.first + first + i;
      particles.mass[place] = number(mass);
      for (std::size_t k = 0; k < 3; ++k) {
        particles.position[place][k] = number(position + k);
        particles.velocity[place][k] =
            to_single(double{number(velocity + k)} * facts_.factors.velocity);
      }
      particles.component[place] = component;
    }
  });
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
  if (needs_units_file(path, about.units)) {
    units_text_ = units_text(path, about.units, provenance);
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
    ByteFile units(units_path(path_));
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
