#pragma once

#include <filesystem>
#include <vector>

#include "files/hdf5.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "files/units.hpp"

namespace gothic::files {

/// Reads the points of the dataset /Coordinates [M, 3], which may have any floating-point width.
/// Throws InputError if the file is missing or damaged, the dataset is missing, empty or of another
/// shape, or a number is not finite in single precision.
std::vector<Vec3> read_points(const std::filesystem::path& path);

/// Writes /Points/{Coordinates, Acceleration, Potential} in the order of the points, and `timing`
/// as attributes of /Timing. Throws as write_snapshot does.
/// \tparam T float or double
template <class T>
void write_point_forces(const std::filesystem::path& path, const std::vector<Vec3>& points,
                        const BasicForces<T>& forces, const Units& units, const Attributes& timing,
                        const Provenance& provenance);

}  // namespace gothic::files
