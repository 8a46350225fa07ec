#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "files/error.hpp"
#include "files/input_file.hpp"
#include "files/tipsy.hpp"
#include "files/tipsy_format.hpp"

namespace gothic::files {
namespace {

using tipsy::Header;
using tipsy::Record;

/// A TIPSY file opened for reading. Its errors are InputErrors that name it.
class TipsyFile {
 public:
  explicit TipsyFile(const std::filesystem::path& path) : path_(path) {
    require_readable(path);
    in_.open(path, std::ios::binary);
    read_header();
  }

  [[noreturn]] void fail(const std::string& field, const std::string& problem) const {
    throw InputError(path_.string() + ": " + field + ": " + problem);
  }

  double time() const { return time_; }
  std::size_t dark() const { return dark_; }
  std::size_t stars() const { return stars_; }
  std::endian order() const { return order_; }

  /// The next bytes of the file.
  void read(std::vector<char>& bytes) {
    if (!in_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      fail("input", "cannot be read; copy it again");
    }
  }

 private:
  void read_header();
  void find_byte_order(const std::vector<char>& header);
  void require_length() const;
  std::size_t count(const std::vector<char>& header, std::size_t at, const char* field) const;

  std::filesystem::path path_;
  std::ifstream in_;
  std::endian order_ = std::endian::big;
  double time_ = 0;
  std::size_t dark_ = 0, stars_ = 0;
};

void TipsyFile::read_header() {
  std::vector<char> header(Header::bytes);
  if (!in_.read(header.data(), Header::bytes)) {
    fail("input", "is neither an HDF5 nor a TIPSY file; give one of these");
  }
  find_byte_order(header);
  const std::size_t particles = count(header, Header::particles, "nbodies");
  const std::size_t gas = count(header, Header::gas, "nsph");
  dark_ = count(header, Header::dark, "ndark");
  stars_ = count(header, Header::stars, "nstar");
  if (particles != gas + dark_ + stars_) {
    fail("nbodies",
         "is not the sum of nsph, ndark and nstar; the header is damaged, write or copy "
         "the file again");
  }
  if (particles == 0) fail("nbodies", "the file holds no particles; give at least one");
  if (gas > 0) {
    fail("nsph", fmt::format("the file holds gas, {} particles; remove them, only dark matter and "
                             "stars are known here",
                             gas));
  }
  require_length();
  time_ = tipsy::load<double>(header.data() + Header::time, order_);
  if (!std::isfinite(time_)) fail("time", "is not finite; correct it");
}

void TipsyFile::find_byte_order(const std::vector<char>& header) {
  for (const std::endian order : {std::endian::big, std::endian::little}) {
    const auto dimensions = tipsy::load<std::int32_t>(header.data() + Header::dimensions, order);
    if (dimensions < 1 || dimensions > 3) continue;
    if (dimensions < 3) {
      fail("ndim", fmt::format("is {}; give a file of three dimensions", dimensions));
    }
    order_ = order;
    return;
  }
  fail("input", "is neither an HDF5 nor a TIPSY file; give one of these");
}

std::size_t TipsyFile::count(const std::vector<char>& header, std::size_t at,
                             const char* field) const {
  const auto value = tipsy::load<std::int32_t>(header.data() + at, order_);
  if (value < 0) {
    fail(field, "is negative; the header is damaged, write or copy the file again");
  }
  return static_cast<std::size_t>(value);
}

void TipsyFile::require_length() const {
  const std::uintmax_t wanted =
      Header::bytes + dark_ * tipsy::dark_record.bytes() + stars_ * tipsy::star_record.bytes();
  const std::uintmax_t found = std::filesystem::file_size(path_);
  if (found == wanted) return;
  fail("input", fmt::format("has {} bytes, but {} dark and {} star particles in single precision "
                            "take {}; write or copy it again",
                            found, dark_, stars_, wanted));
}

/// The softening that all records seen so far share, or 0.
class CommonSoftening {
 public:
  void add(float value) {
    equal_ = equal_ && (!any_ || value == value_);
    value_ = value;
    any_ = true;
  }
  /// The shortest decimal number that is the same in single precision.
  double value() const {
    char text[32];
    *std::to_chars(text, text + sizeof text - 1, value_).ptr = '\0';
    return equal_ ? std::strtod(text, nullptr) : 0;
  }

 private:
  float value_ = 0;
  bool any_ = false, equal_ = true;
};

/// Reads the particles to a snapshot whose units are known.
class Reader {
 public:
  Reader(TipsyFile& file, Snapshot& snapshot) : file_(file), snapshot_(snapshot) {
    velocity_unit_ = std::sqrt(snapshot.units.gravitational_constant());
  }

  /// Reads the next `count` records, all of one kind.
  void read(const Record& kind, std::size_t count) {
    if (count == 0) return;
    CommonSoftening softening;
    std::vector<char> piece;
    for (std::size_t left = count; left > 0; left -= piece.size() / kind.bytes()) {
      piece.resize(std::min(left, tipsy::records_per_piece) * kind.bytes());
      file_.read(piece);
      for (std::size_t at = 0; at < piece.size(); at += kind.bytes()) {
        softening.add(take(kind, piece.data() + at));
      }
    }
    snapshot_.components.push_back({kind.name, kind.type, softening.value()});
  }

  void finish() {
    if (total_mass_ == 0) {
      file_.fail("mass", "all masses are zero; give at least one particle a positive mass");
    }
    snapshot_.softening = softening_.value();
  }

 private:
  /// Takes over one record and returns its softening.
  float take(const Record& kind, const char* record) {
    const auto number = [&](std::size_t word) {
      return tipsy::load<float>(record + word * sizeof(float), file_.order());
    };
    const float mass = number(Record::mass), softening = number(kind.softening);
    Particles& particles = snapshot_.particles;
    const std::size_t i = particle_++;
    for (std::size_t k = 0; k < 3; ++k) {
      particles.position[i][k] = number(Record::position + k);
      particles.velocity[i][k] = static_cast<float>(number(Record::velocity + k) * velocity_unit_);
    }
    particles.mass[i] = mass;
    particles.id[i] = particle_;
    particles.type[i] = kind.type;
    particles.component[i] = static_cast<std::int32_t>(snapshot_.components.size());
    require_good(particles, i, softening);
    total_mass_ += mass;
    softening_.add(softening);
    return softening;
  }

  void require_good(const Particles& particles, std::size_t i, float softening) const {
    const auto finite = [](const Vec3& v) {
      return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
    };
    const auto fail = [&](const char* field, const char* problem) {
      file_.fail(field, fmt::format("that of particle {}{}", i + 1, problem));
    };
    const char* const lost = " is NaN or infinite; correct or remove that particle";
    const float mass = particles.mass[i];
    if (!std::isfinite(mass)) fail("mass", lost);
    if (!finite(particles.position[i])) fail("pos", lost);
    if (!finite(particles.velocity[i])) fail("vel", lost);
    if (!std::isfinite(softening)) fail("eps", lost);
    if (mass < 0) fail("mass", " is negative; masses must be zero or positive");
    if (softening < 0) fail("eps", " is negative; softenings must be zero or positive");
  }

  TipsyFile& file_;
  Snapshot& snapshot_;
  double velocity_unit_ = 1;
  std::size_t particle_ = 0;
  double total_mass_ = 0;
  CommonSoftening softening_;
};

}  // namespace

Snapshot read_tipsy(const std::filesystem::path& path) {
  TipsyFile file(path);
  Snapshot snapshot{.units = tipsy::read_units(path), .particles = {}};
  snapshot.time = file.time() / std::sqrt(snapshot.units.gravitational_constant());
  if (!std::isfinite(snapshot.time)) file.fail("time", "is beyond range; correct it");
  snapshot.particles.resize(file.dark() + file.stars());
  Reader reader(file, snapshot);
  reader.read(tipsy::dark_record, file.dark());
  reader.read(tipsy::star_record, file.stars());
  reader.finish();
  return snapshot;
}

}  // namespace gothic::files
