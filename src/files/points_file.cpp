#include "files/points_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace gothic::files {
std::vector<Vec3> read_points(const std::filesystem::path& path) {
  const std::string field = "/Coordinates";
  const InputFile file(path);
  std::vector<Vec3> points = file.all<Vec3>(field);
  if (points.empty()) file.fail(field, "there are no points; give at least one");
  const auto bad = std::ranges::find_if(points, [](const Vec3& r) {
    return !std::ranges::all_of(r, [](float x) { return std::isfinite(x); });
  });
  if (bad != points.end()) {
    file.fail(field, fmt::format(
                         "row {} is NaN, infinite or beyond single precision; correct or remove it",
                         bad - points.begin()));
  }
  return points;
}

template <class T>
void write_point_forces(const std::filesystem::path& path, const std::vector<Vec3>& points,
                        const BasicForces<T>& forces, const Units& units, const Attributes& timing,
                        const Provenance& provenance) {
  const std::size_t n = points.size();
  if (n == 0 || forces.acceleration.size() != n || forces.potential.size() != n) {
    throw std::invalid_argument("every point needs one acceleration and one potential");
  }
  OutputFile file(path);
  file.guard([&] {
    write_provenance(file.id(), provenance);
    write_units(file.id(), units);
    write_attributes(file.id(), "Timing", timing);
    const hdf5::Handle group = hdf5::open_or_create_group(file.id(), "Points");
    hdf5::write_dataset(group.id(), "Coordinates", points);
    hdf5::write_dataset(group.id(), "Acceleration", forces.acceleration);
    hdf5::write_dataset(group.id(), "Potential", forces.potential);
  });
  file.commit();
}
template void write_point_forces(const std::filesystem::path&, const std::vector<Vec3>&,
                                 const Forces&, const Units&, const Attributes&, const Provenance&);
template void write_point_forces(const std::filesystem::path&, const std::vector<Vec3>&,
                                 const ReferenceForces&, const Units&, const Attributes&,
                                 const Provenance&);

}  // namespace gothic::files
