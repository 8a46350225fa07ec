#pragma once

#include <filesystem>
#include <string>

#include "files/provenance.hpp"
#include "files/units.hpp"

/// The units of a TIPSY file are in a text file of `key = value` lines beside it: dKpcUnit and
/// dMsolUnit, multiples of a kiloparsec and of a solar mass. The unit of velocity follows from G
/// = 1. gasoline, ChaNGa, pynbody and yt read the same file.
namespace gothic::files::tipsy {

/// The file with the units of `path`: the same name with the suffix ".param".
std::filesystem::path units_path(const std::filesystem::path& path);

/// The units of the TIPSY file `path`, with 1 km/s for velocities; model units if there is no file
/// of units. The file of units is units_path(path) or else the only file in the folder whose name
/// ends in ".param". Throws InputError if it cannot be read, if several names end so, if one unit
/// is missing or not positive, or if the file says that coordinates are comoving.
Units read_units(const std::filesystem::path& path);

/// The lines of the file units_path(path): the units, and the provenance of `path` as comments.
std::string units_text(const std::filesystem::path& path, const Units& units,
                       const Provenance& provenance);

/// Whether units_path(path) is to be written: not if there is a file of this name that was made for
/// something else and has the same units. Throws InputError if it has other units.
bool needs_units_file(const std::filesystem::path& path, const Units& units);

}  // namespace gothic::files::tipsy
