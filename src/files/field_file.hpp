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
  double mass = 0;        ///< total mass, for nfw 4 pi rho_s r_s^3; none if logarithmic
  double scale = 0;       ///< scale length, or that of the core
  double height = 0;      ///< scale height of miyamoto_nagai
  double speed = 0;       ///< circular speed far out, of logarithmic
  double flattening = 1;  ///< axis ratio z / R of the equipotentials, of logarithmic
  std::array<double, 3> center{};
};

/// The potentials of a file, and its text.
struct FieldFile {
  std::string file;  ///< for messages
  std::string text;
  std::optional<Units> units = {};  ///< nothing where it names none
  std::vector<FieldPotential> potentials = {};
};

/// Reads a TOML file of [[potential]] tables: see docs/fields.md for their keys.
/// Throws InputError "FILE:LINE: KEY: problem; remedy" if it cannot be read, is not TOML, names no
/// potential, more than `most` or an unknown type, or a key is missing, unknown or out of range.
FieldFile read_field_file(const std::filesystem::path& path, std::size_t most);

}  // namespace gothic::files
