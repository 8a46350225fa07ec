#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "files/particle_file.hpp"

namespace gothic::files {

/// Opens all files of a snapshot, in the order of their numbers. The names of several files differ
/// by a number from 0 on between two dots or at the end: NAME.0.hdf5, NAME.1.hdf5, ..., or NAME.0.
/// \param path any one of the files
/// \throws InputError if one is missing, or if the files do not belong together: if they tell other
///         times or units, or their particles are not as many as they say
std::vector<std::unique_ptr<ParticleFile>> open_snapshot_files(const std::filesystem::path& path);

/// The names of all files of a snapshot; `path` alone if it cannot be opened. A file is opened only
/// if its name has a number.
std::vector<std::filesystem::path> names_of_snapshot(const std::filesystem::path& path);

}  // namespace gothic::files
