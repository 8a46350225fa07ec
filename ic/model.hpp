#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "files/units.hpp"
#include "ic/profiles/profiles.hpp"

namespace gothic::ic {

/// What a disc has beside its surface density.
struct Disc {
  double height = 0;           ///< z_d, where the density has fallen by e
  double toomre_q = 0;         ///< Q at toomre_q_radius; 0 where sigma_r is given
  double toomre_q_radius = 0;  ///< the scale, unless the file says otherwise
  double sigma_r = 0;          ///< radial velocity dispersion at the centre; 0 where Q is given
  double retrograde = 0;       ///< fraction of the stars that rotate backwards
};

/// One component of a galaxy model, in the model's units.
struct Component {
  std::string name = {};
  std::string profile = {};  ///< its word in the model file, see profiles()
  Kind kind = Kind::sphere;
  /// Density of a sphere or black hole over r / scale, surface density of a disc over R / scale.
  ShapePointer shape = nullptr;
  double mass = 1;               ///< total, the tail beyond the cutoff included
  double scale = 1;              ///< of the shape; for a black hole the softening that it gets
  double cutoff = 0;             ///< radius where the density is halved; 0 for none
  double cutoff_width = 0;       ///< delta of the factor erfc((r - cutoff) / (2 delta)) / 2
  std::uint8_t type = 1;         ///< GADGET particle type
  double softening = 0;          ///< recommended softening; 0 takes the model's
  double share = 0;              ///< fraction of all particles; 0: what is left is shared by mass
  double anisotropy_radius = 0;  ///< of Osipkov & Merritt; 0 for isotropic velocities
  Disc disc = {};

  bool is_disc() const { return kind == Kind::disc; }
  bool is_black_hole() const { return kind == Kind::black_hole; }
  bool is_tabulated() const { return !shape->rows().empty(); }
};

/// A galaxy model.
struct Model {
  files::Units units;
  double softening = 0;  ///< recommended Plummer softening; 0 where none is given
  std::vector<Component> components;
  std::string file;  ///< for messages
  std::string text;  ///< of the file, with the rows of its tables as comments
};

/// Reads a model from a TOML file. Throws InputError "FILE:LINE: KEY: problem; remedy" for a file
/// that is not TOML, an unknown or missing key, and a value of the wrong type or out of range.
Model read_model(const std::filesystem::path& path);

/// The same from the text of `path`, which messages name and beside which tables lie.
Model parse_model(const std::string& text, const std::filesystem::path& path);

}  // namespace gothic::ic
