#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/units.hpp"

namespace gothic::ic {

enum class ProfileKind { nfw, plummer, hernquist };

/// One spherical component of a galaxy model, in the model's units.
struct Component {
  std::string name;
  ProfileKind profile = ProfileKind::plummer;
  double mass = 1;          ///< total, the tail beyond the cutoff included
  double scale = 1;         ///< scale radius
  double cutoff = 0;        ///< radius where the density is halved; 0 for none
  double cutoff_width = 0;  ///< delta of the factor erfc((r - cutoff) / (2 delta)) / 2
  std::uint8_t type = 1;    ///< GADGET particle type
};

/// A galaxy model as described by a TOML file.
struct Model {
  io::Units units;
  double softening = 0;  ///< recommended Plummer softening; 0 where none is given
  std::vector<Component> components;
  std::string text;  ///< the file's own words
};

/// Reads a model. Throws InputError "FILE:LINE: KEY: what is wrong; remedy" for a file that is not
/// TOML, an unknown or missing key, a value of the wrong type or out of range.
Model read_model(const std::filesystem::path& path);

/// The name of a profile as it is written in a model file.
std::string name_of(ProfileKind profile);

}  // namespace gothic::ic
