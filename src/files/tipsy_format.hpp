#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "files/provenance.hpp"
#include "files/units.hpp"

/// Where the numbers of a TIPSY file are, in bytes from the start of the header or of a record.
namespace gothic::files::tipsy {

/// time (64-bit real), then 32-bit integers: particles, dimensions, gas, dark, stars, padding.
struct Header {
  static constexpr std::size_t bytes = 32;
  static constexpr std::size_t time = 0, particles = 8, dimensions = 12, gas = 16, dark = 20,
                               stars = 24;
};

/// A record of 32-bit reals: mass, position, velocity, what differs between the kinds, the
/// gravitational potential.
struct Record {
  std::size_t words;
  std::size_t softening;
  std::uint8_t type;  ///< of a snapshot's particles
  const char* name;
  static constexpr std::size_t mass = 0, position = 1, velocity = 4;

  std::size_t bytes() const { return words * sizeof(float); }
};
inline constexpr Record dark_record{.words = 9, .softening = 7, .type = 1, .name = "dark"};
/// Stars have a metallicity and the time of their birth before the softening.
inline constexpr Record star_record{.words = 11, .softening = 9, .type = 4, .name = "star"};

/// Records that are read or written at once.
inline constexpr std::size_t records_per_piece = std::size_t{1} << 14;

/// The number at `from`, which may be anywhere, in the byte order `order`.
template <class T>
T load(const char* from, std::endian order) {
  std::array<char, sizeof(T)> bytes;
  std::copy_n(from, sizeof(T), bytes.begin());
  if (order != std::endian::native) std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

/// Puts a number at `to`, the most significant byte first.
template <class T>
void store(char* to, T value) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (std::endian::native != std::endian::big) std::ranges::reverse(bytes);
  std::ranges::copy(bytes, to);
}

// Units are in a text file of `key = value` lines beside a TIPSY file: dKpcUnit and dMsolUnit,
// multiples of a kiloparsec and of a solar mass. The unit of velocity follows from G = 1. gasoline,
// ChaNGa, pynbody and yt read the same file.

/// The file of the units of `path`: the same name with the suffix ".param".
std::filesystem::path units_path(const std::filesystem::path& path);

/// The units of the TIPSY file `path`, with 1 km/s for velocities; model units where no file tells
/// of any. The file is units_path(path) or else the only one in the folder whose name ends in
/// ".param". Throws InputError if it cannot be read, if there are several others, if one unit is
/// missing or not positive, or if the file tells of comoving coordinates.
Units read_units(const std::filesystem::path& path);

/// The lines of units_path(path): units, and as comments where the file comes from.
std::string units_text(const std::filesystem::path& path, const Units& units,
                       const Provenance& provenance);

/// Whether units_path(path) is to be written: not if a file of that name that was made for
/// something else tells the same units. Throws InputError if it tells other units.
bool needs_units_file(const std::filesystem::path& path, const Units& units);

}  // namespace gothic::files::tipsy
