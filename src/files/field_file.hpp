#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/gravity/external_field.hpp"
#include "files/units.hpp"

namespace gothic::files {

/// A static potential as a file describes it, in the file's units.
struct FieldPotential {
  using Type = ExternalPotential::Kind;
  Type type = Type::nfw;
  double mass = 0;        ///< total mass, or 4 pi rho_s r_s^3 for nfw; logarithmic has none
  double scale = 0;       ///< scale length, or core radius for logarithmic
  double height = 0;      ///< scale height for miyamoto_nagai
  double speed = 0;       ///< circular speed far out for logarithmic
  double flattening = 1;  ///< axis ratio z / R of the equipotentials for logarithmic
  std::array<double, 3> center{};
};

/// A file of potentials, and its text.
struct FieldFile {
  std::string file;  ///< name for messages
  std::string text;
  std::optional<Units> units = {};  ///< nothing if the file names none
  std::vector<FieldPotential> potentials = {};
};

/// Reads a TOML file of [[potential]] tables: see docs/fields.md for their keys. Throws InputError
/// "FILE:LINE: KEY: problem; remedy" if the file cannot be read, is not TOML, has no potential,
/// more than `most` or an unknown type, or if a key is missing, unknown or out of range.
FieldFile read_field_file(const std::filesystem::path& path, std::size_t most);

}  // namespace gothic::files
