#include "files/hdf5.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gothic::files::hdf5 {
namespace {

// The library cleans up when the program ends, and would crash if a file could not be closed
// because the disk is full. The owner of each file closes it, so there is nothing to clean up.
[[maybe_unused]] const herr_t no_clean_up_at_exit = H5dont_atexit();

bool means_disk_full(int error) { return error == ENOSPC || error == EFBIG || error == EDQUOT; }

std::recursive_mutex& library() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Some rows of a dataset, selected in the file, and their space in memory.
struct Rows {
  Rows(hid_t dataset, hsize_t first, hsize_t count) : file(H5Dget_space(dataset), H5Sclose, what) {
    hsize_t shape[2] = {0, 1};
    check(H5Sget_simple_extent_dims(file.id(), shape, nullptr), what);
    const hsize_t start[2] = {first, 0}, extent[2] = {count, shape[1]};
    const int rank = H5Sget_simple_extent_ndims(file.id());
    check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start, nullptr, extent, nullptr), what);
    memory = Handle(H5Screate_simple(rank, extent, nullptr), H5Sclose, what);
  }

  const std::string what = "rows of a dataset";
  Handle file, memory;
};

}  // namespace

void check(hid_t status, const std::string& what) {
  if (status >= 0) return;
  const int error = errno;
  throw Failure(means_disk_full(error) ? std::strerror(error) : what);
}

Handle open_or_create_group(hid_t file, const std::string& name) {
  if (H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0) {
    return Handle(H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose, name);
  }
  const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, name);
  check(H5Pset_obj_track_times(properties.id(), false), name);
  return Handle(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose,
                name);
}

Handle fixed_text(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text");
  check(H5Tset_size(type.id(), size), "text");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "text");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "text");
  return type;
}

Handle create_dataset(hid_t group, const std::string& name, hid_t type, hsize_t rows,
                      hsize_t columns, int compression) {
  const hsize_t shape[2] = {rows, columns};
  const Handle space(H5Screate_simple(columns == 1 ? 1 : 2, shape, nullptr), H5Sclose, name);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  check(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER), name);
  check(H5Pset_obj_track_times(properties.id(), false), name);
  if (compression > 0 && rows > 0) {
    constexpr hsize_t most_rows = hsize_t{1} << 16;
    const hsize_t piece[2] = {std::min(rows, most_rows), columns};
    check(H5Pset_chunk(properties.id(), columns == 1 ? 1 : 2, piece), name);
    check(H5Pset_shuffle(properties.id()), name);
    check(H5Pset_deflate(properties.id(), static_cast<unsigned>(compression)), name);
  }
  return Handle(
      H5Dcreate2(group, name.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
      H5Dclose, name);
}

void write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void* data) {
  const Rows rows(dataset, first, count);
  check(H5Dwrite(dataset, type, rows.memory.id(), rows.file.id(), H5P_DEFAULT, data), rows.what);
}

void read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void* data) {
  const Rows rows(dataset, first, count);
  check(H5Dread(dataset, type, rows.memory.id(), rows.file.id(), H5P_DEFAULT, data), rows.what);
}

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Lock::Lock() : unique_lock(library()) { silence(); }

Lock::Lock(std::try_to_lock_t now) : unique_lock(library(), now) {
  if (owns_lock()) silence();
}

}  // namespace gothic::files::hdf5

namespace gothic::files {

void write_attribute(hid_t where, const std::string& name, hid_t type,
                     std::span<const hsize_t> shape, const void* data) {
  const std::string what = "attribute " + name;
  if (H5Aexists(where, name.c_str()) > 0) hdf5::check(H5Adelete(where, name.c_str()), what);
  const hdf5::Handle space(H5Screate_simple(int(shape.size()), shape.data(), nullptr), H5Sclose,
                           what);
  const hdf5::Handle attribute(
      H5Acreate2(where, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  hdf5::check(H5Awrite(attribute.id(), type, data), what);
}

void write_attribute(hid_t where, const std::string& name, const Attribute& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    write_attribute(where, name, H5T_NATIVE_INT64, {}, integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    write_attribute(where, name, H5T_NATIVE_DOUBLE, {}, real);
  } else if (const auto& text = std::get<std::string>(value); !text.empty()) {
    write_attribute(where, name, hdf5::fixed_text(text.size()).id(), {}, text.data());
  }
}

void write_attributes(hid_t file, const std::string& name, const Attributes& attributes) {
  const hdf5::Handle group = hdf5::open_or_create_group(file, name);
  for (const auto& [key, value] : attributes) write_attribute(group.id(), key, value);
}

}  // namespace gothic::files
