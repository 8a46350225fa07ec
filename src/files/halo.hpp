#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/toml.hpp"

/// The ways in which a file may give the mass of a halo.
namespace gothic::files {

/// A halo by its mass within r200, inside which the mean density is 200 times the critical one,
/// 3 H0^2 / (8 pi G).
struct Halo {
  double m200 = 0;
  double concentration = 0;  ///< r200 / scale
  double r200 = 0;           ///< (G m200 / (100 H0^2))^(1/3)
};

/// Reads the keys m200, concentration and h0, which is H0 in km/s/Mpc and 70 unless given. Throws
/// InputError as TomlSection does, also in model units and if there is a key `scale` that
/// contradicts them.
Halo read_halo(const TomlSection& section);

/// The key among `ways` that gives the mass. Throws InputError unless there is exactly one, and for
/// keys that belong to m200 if m200 is not there.
std::string mass_key(const TomlSection& section, const std::vector<std::string_view>& ways);

}  // namespace gothic::files
