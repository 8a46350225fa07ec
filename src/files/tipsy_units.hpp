#pragma once

#include <filesystem>
#include <string>

#include "files/provenance.hpp"
#include "files/units.hpp"

/// The units of a TIPSY file are in a text file of `key = value` lines beside it: dKpcUnit and
/// dMsolUnit, multiples of a kiloparsec and of a solar mass. The unit of velocity follows from G
/// = 1. gasoline, ChaNGa, pynbody and yt read the same file.
namespace gothic::files::tipsy {

/// The file of the units of `path`: the same name with the suffix ".param".
std::filesystem::path units_path(const std::filesystem::path& path);

/// The units of the TIPSY file `path`, with 1 km/s for velocities; model units where no file tells
/// of any. The file is units_path(path) or else the only one in the folder whose name ends in
/// ".param". Throws InputError if it cannot be read, if there are several others, if one unit is
/// missing or not positive, or if the file tells of comoving coordinates.
Units read_units(const std::filesystem::path& path);

/// The lines of units_path(path): units, and as comments where the file comes from.
std::string units_text(const std::filesystem::path& path, const Units& units,
                       const Provenance& provenance);

/// Whether units_path(path) is to be written: not if a file of that name that was made for
/// something else tells the same units. Throws InputError if it tells other units.
bool needs_units_file(const std::filesystem::path& path, const Units& units);

}  // namespace gothic::files::tipsy
