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
/// InputError as TomlSection does, in model units, and where a scale contradicts them.
Halo read_halo(const TomlSection& section);

/// Which of the keys `ways` gives the mass. Throws InputError unless it is exactly one of them, and
/// for keys that belong to m200 without it.
std::string mass_key(const TomlSection& section, const std::vector<std::string_view>& ways);

}  // namespace gothic::files
