#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "files/units.hpp"

namespace gothic::ic {

/// Shapes of components. The names of a model file are these words.
enum class ProfileKind {
  plummer,
  king,
  hernquist,
  nfw,
  burkert,
  moore,
  einasto,
  double_power,
  sersic,
  table,
  black_hole,
  exponential_disc,
  sersic_disc,
  table_disc
};

/// What a disc needs beside its surface density.
struct Disc {
  double height = 0;           ///< z_d, where the density has fallen by e
  double toomre_q = 0;         ///< Q at toomre_q_radius; 0 where sigma_R is given
  double toomre_q_radius = 0;  ///< the scale, unless the file says otherwise
  double sigma_r = 0;          ///< radial velocity dispersion at the centre; 0 where Q is given
  double retrograde = 0;       ///< fraction of the stars that rotate backwards
};

/// One component of a galaxy model, in the model's units.
struct Component {
  std::string name;
  ProfileKind profile = ProfileKind::plummer;
  double mass = 1;               ///< total, the tail beyond the cutoff included
  double scale = 1;              ///< scale radius (sersic: effective radius; king: core radius)
  double cutoff = 0;             ///< radius where the density is halved; 0 for none
  double cutoff_width = 0;       ///< delta of the factor erfc((r - cutoff) / (2 delta)) / 2
  std::uint8_t type = 1;         ///< GADGET particle type
  double softening = 0;          ///< recommended softening; 0 takes the model's
  double share = 0;              ///< fraction of all particles; 0 shares by mass what is left
  double anisotropy_radius = 0;  ///< of Osipkov & Merritt; 0 for isotropic velocities
  double w0 = 0;                 ///< king: depth of the central potential, W0
  double n = 0;                  ///< sersic, sersic_disc: index
  double alpha = 0;              ///< einasto; double_power: sharpness of the transition
  double beta = 0;               ///< double_power: outer slope
  double gamma = 0;              ///< double_power: inner slope
  /// table: radius and density, table_disc: radius and surface density, in any unit of density.
  std::vector<std::array<double, 2>> table = {};
  Disc disc = {};

  bool is_disc() const { return profile >= ProfileKind::exponential_disc; }
  bool is_black_hole() const { return profile == ProfileKind::black_hole; }
};

/// A galaxy model as described by a TOML file.
struct Model {
  files::Units units;
  double softening = 0;  ///< recommended Plummer softening; 0 where none is given
  std::vector<Component> components;
  std::string text;  ///< the file's own words, with the rows of tables as comments
};

/// Reads a model. Throws InputError "FILE:LINE: KEY: what is wrong; remedy" for a file that is not
/// TOML, an unknown or missing key, a value of the wrong type or out of range.
Model read_model(const std::filesystem::path& path);

/// The name of a profile as it is written in a model file.
std::string name_of(ProfileKind profile);

}  // namespace gothic::ic
