#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "files/units.hpp"
#include "ic/profiles/density_profile.hpp"
#include "ic/profiles/profiles.hpp"

namespace gothic::ic {

/// Properties of a disc beside its surface density.
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
  std::filesystem::path table = {};  ///< file of the shape's values; empty for none
  double mass = 1;                   ///< total, the tail beyond the cutoff included
  double scale = 1;                  ///< scale of the shape; for a black hole its softening
  double cutoff = 0;                 ///< radius where the density is halved; 0 for none
  double cutoff_width = 0;           ///< delta in the factor erfc((r - cutoff) / (2 delta)) / 2
  std::uint8_t type = 1;             ///< GADGET particle type
  double softening = 0;              ///< of its particles; 0 takes the model's
  double share = 0;              ///< fraction of all particles; 0 for a part of the rest by mass
  double anisotropy_radius = 0;  ///< r_a of Osipkov & Merritt; 0 for isotropic velocities
  Disc disc = {};

  bool is_disc() const { return kind == Kind::disc; }
  bool is_black_hole() const { return kind == Kind::black_hole; }
  bool is_tabulated() const { return !shape->rows().empty(); }

  /// The density of a sphere or black hole, with rho0 = 1.
  DensityProfile density_profile() const {
    return DensityProfile({shape, scale, cutoff, cutoff_width});
  }
};

/// A galaxy model.
struct Model {
  files::Units units;
  double softening = 0;  ///< Plummer, of components without their own; 0 where none is given
  std::vector<Component> components;
  std::string file;    ///< the model's file, for messages
  std::string name;    ///< from the file, or the file's name without its suffix
  std::string text;    ///< text of the file, with the rows of its tables as comments
  std::string digest;  ///< of this text
};

/// Reads a model from a TOML file. Throws InputError "FILE:LINE: KEY: problem; remedy" for a file
/// that is not TOML, an unknown or missing key, and a value of the wrong type or out of range.
Model read_model(const std::filesystem::path& path);

/// Reads a model from `text`; without a name in it the model has none. Messages name `path` as its
/// file, and tables lie beside `path`.
Model parse_model(const std::string& text, const std::filesystem::path& path);

}  // namespace gothic::ic
