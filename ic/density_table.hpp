#pragma once

#include <array>
#include <filesystem>
#include <vector>

namespace gothic::ic {

/// Reads a table of radius and density from a text file: two numbers to a line, comments after '#'.
/// Throws InputError "FILE:LINE: table: problem; remedy" for a file that cannot be read, lines of
/// another kind, radii and densities that are not positive, radii that do not increase, and fewer
/// than 4 rows.
std::vector<std::array<double, 2>> read_density_table(const std::filesystem::path& path);

}  // namespace gothic::ic
