#include "files/rehearsal.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "files/hdf5.hpp"
#include "files/storage.hpp"

namespace gothic::files {
namespace {

using hdf5::Handle;

constexpr std::size_t most_bytes = std::size_t{1} << 26;  // of strings, of an attribute or a piece
constexpr int deepest = 8;                                // groups in groups

/// Types in memory to which the readers convert what is stored so; none if they refuse it.
std::vector<hid_t> memory_types(hid_t stored) {
  switch (H5Tget_class(stored)) {
    case H5T_INTEGER:
      return {H5T_NATIVE_UINT64, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE};
    case H5T_FLOAT:
      return {H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE};
    case H5T_STRING:
      return H5Tis_variable_str(stored) > 0 ? std::vector<hid_t>{} : std::vector<hid_t>{stored};
    default:
      return {};
  }
}

herr_t read_attribute(hid_t where, const char* name, const H5A_info_t*, void*) {
  try {
    const Handle attribute(H5Aopen(where, name, H5P_DEFAULT), H5Aclose, name);
    const Handle type(H5Aget_type(attribute.id()), H5Tclose, name);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose, name);
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id()));
    for (const hid_t memory : memory_types(type.id())) {
      const std::size_t size = H5Tget_size(memory);
      if (count > most_bytes / std::max<std::size_t>(size, 1)) continue;
      std::vector<char> values(count * size);
      H5Aread(attribute.id(), memory, values.data());
    }
  } catch (const std::exception&) {
    return 0;  // whoever needs the attribute will say what is wrong with it
  }
  return 0;
}

/// Reads the first row of a dataset stored in one piece, or all of one in several.
void read_dataset(hid_t dataset, std::uintmax_t file_bytes) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "type");
  const Handle space(H5Dget_space(dataset), H5Sclose, "space");
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (!storage_problem(dataset, file_bytes).empty() || rank < 1) return;
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
  std::vector<hsize_t> piece = shape, start(shape.size(), 0);
  hsize_t row = 1;
  for (int k = 1; k < rank; ++k) row *= shape[static_cast<std::size_t>(k)];
  for (const hid_t memory : memory_types(type.id())) {
    const hsize_t row_bytes = std::max<hsize_t>(row * H5Tget_size(memory), 1);
    if (shape[0] == 0 || row_bytes > most_bytes) continue;
    const bool whole = in_pieces(dataset) || H5Tget_class(memory) == H5T_STRING;
    const hsize_t rows = whole ? std::min<hsize_t>(shape[0], most_bytes / row_bytes) : 1;
    std::vector<char> values(rows * row_bytes);
    for (start[0] = 0; start[0] < (whole ? shape[0] : 1); start[0] += rows) {
      piece[0] = std::min(rows, shape[0] - start[0]);
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, piece.data(), nullptr);
      const Handle target(H5Screate_simple(rank, piece.data(), nullptr), H5Sclose, "piece");
      H5Dread(dataset, memory, target.id(), space.id(), H5P_DEFAULT, values.data());
    }
  }
}

void read_group(hid_t group, std::uintmax_t file_bytes, int depth);

void read_object(hid_t group, hsize_t index, std::uintmax_t file_bytes, int depth) {
  const auto name_of = [&](char* to, std::size_t size) {
    return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, to, size, H5P_DEFAULT);
  };
  const ssize_t length = name_of(nullptr, 0);
  if (length < 0) return;
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  name_of(name.data(), name.size());
  const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, name);
  H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, read_attribute, nullptr);
  const H5I_type_t type = H5Iget_type(object.id());
  if (type == H5I_GROUP) read_group(object.id(), file_bytes, depth + 1);
  if (type == H5I_DATASET) read_dataset(object.id(), file_bytes);
}

void read_group(hid_t group, std::uintmax_t file_bytes, int depth) {
  H5G_info_t info;
  if (depth > deepest || H5Gget_info(group, &info) < 0) return;
  for (hsize_t index = 0; index < info.nlinks; ++index) {
    try {
      read_object(group, index, file_bytes, depth);
    } catch (const std::exception&) {
      continue;  // as above
    }
  }
}

}  // namespace

void read_everything(hid_t file, std::uintmax_t bytes) {
  const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "/");
  read_group(root.id(), bytes, 0);
}

}  // namespace gothic::files
