#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "files/provenance.hpp"
#include "files/units.hpp"

/// The units of snapshots that have none themselves are in a text file beside them. It has lines
/// `key = value` as gasoline, ChaNGa, pynbody and yt know them, or `key value` as in the parameters
/// of GADGET. The units are
///
/// * dKpcUnit and dMsolUnit, multiples of a kiloparsec and of a solar mass, with 1 km/s for
///   velocities, or
/// * UnitLength_in_cm, UnitMass_in_g and UnitVelocity_in_cm_per_s.
namespace gothic::files {

/// The file with the units of `path`: the same name with the suffix ".param".
std::filesystem::path units_path(const std::filesystem::path& path);

/// The parameters in the file of units of a snapshot; none if there is no such file.
class Parameters {
 public:
  Parameters() = default;

  /// Reads units_path(path) or else the only file in the folder whose name ends in ".param". Throws
  /// InputError if it cannot be read, or if there are several and none has the right name.
  static Parameters beside(const std::filesystem::path& path);

  /// The file that was read; empty if there is none.
  const std::filesystem::path& file() const { return file_; }
  /// The number with this key; nothing if there is none. Throws InputError if it is no number.
  std::optional<double> number(const std::string& key) const;
  /// The units; nothing if there are none. Throws InputError if one is missing or not positive.
  std::optional<Units> units() const;

  /// Tells of the file if its name is not that of `path`; empty otherwise.
  std::string note(const std::filesystem::path& path) const;

  /// Parameters from a text, which the file `file` holds.
  static Parameters in(const std::string& text, const std::filesystem::path& file);

 private:
  [[noreturn]] void fail(const std::string& problem) const;
  double positive_number(const std::string& key, const std::string& other) const;

  std::filesystem::path file_;
  std::map<std::string, std::string> values_;
};

/// The lines of the file units_path(path): the units, and the provenance of `path` as comments.
std::string units_text(const std::filesystem::path& path, const Units& units,
                       const Provenance& provenance);

/// Whether units_path(path) is to be written: not if there is a file of this name that was made for
/// something else and has the same units. Throws InputError if it has other units.
bool needs_units_file(const std::filesystem::path& path, const Units& units);

}  // namespace gothic::files
