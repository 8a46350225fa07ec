#include "files/points_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace gothic::files {
namespace {

/// Writes `rows` rows of `columns` numbers.
template <class T>
void write_dataset(hid_t group, const std::string& name, const T* values, std::size_t rows,
                   hsize_t columns) {
  const hid_t type = hdf5::native_type<T>();
  const hdf5::Handle dataset = hdf5::create_dataset(group, name, type, rows, columns);
  hdf5::write_rows(dataset.id(), type, 0, rows, values);
}

template <class T>
void write(const std::filesystem::path& path, const std::vector<Vec3>& points,
           const BasicForces<T>& forces, const Units& units, const Attributes& timing,
           const Provenance& provenance) {
  const std::size_t n = points.size();
  if (n == 0 || forces.acceleration.size() != n || forces.potential.size() != n) {
    throw std::invalid_argument("every point needs one acceleration and one potential");
  }
  OutputFile file(path);
  file.guard([&] {
    write_provenance(file.id(), provenance);
    write_attributes(file.id(), "Units",
                     {{"UnitLength_in_cm", units.length_in_cm},
                      {"UnitMass_in_g", units.mass_in_g},
                      {"UnitVelocity_in_cm_per_s", units.velocity_in_cm_per_s},
                      {"UnitTime_in_s", units.time_in_s()}});
    write_attributes(file.id(), "Timing", timing);
    const hdf5::Handle group = hdf5::open_or_create_group(file.id(), "Points");
    write_dataset(group.id(), "Coordinates", points.front().data(), n, 3);
    write_dataset(group.id(), "Acceleration", forces.acceleration.front().data(), n, 3);
    write_dataset(group.id(), "Potential", forces.potential.data(), n, 1);
  });
  file.commit();
}

}  // namespace

std::vector<Vec3> read_points(const std::filesystem::path& path) {
  const std::string field = "/Coordinates";
  const InputFile file(path);
  const std::size_t count = file.rows(field, 3);
  if (count == 0) file.fail(field, "there are no points; give at least one");
  std::vector<Vec3> points(count);
  file.read(field, count, 3, points.front().data());
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

void write_point_forces(const std::filesystem::path& path, const std::vector<Vec3>& points,
                        const Forces& forces, const Units& units, const Attributes& timing,
                        const Provenance& provenance) {
  write(path, points, forces, units, timing, provenance);
}

void write_point_forces(const std::filesystem::path& path, const std::vector<Vec3>& points,
                        const ReferenceForces& forces, const Units& units, const Attributes& timing,
                        const Provenance& provenance) {
  write(path, points, forces, units, timing, provenance);
}

}  // namespace gothic::files
