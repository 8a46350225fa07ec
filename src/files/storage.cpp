#include "files/storage.hpp"

#include "files/hdf5.hpp"

namespace gothic::files {
namespace {

H5D_layout_t layout_of(hid_t properties) { return H5Pget_layout(properties); }

hdf5::Handle properties_of(hid_t dataset) {
  return {H5Dget_create_plist(dataset), H5Pclose, "storage of a dataset"};
}

}  // namespace

bool in_pieces(hid_t dataset) { return layout_of(properties_of(dataset).id()) == H5D_CHUNKED; }

std::string storage_problem(hid_t dataset, std::uintmax_t file_bytes) {
  const hdf5::Handle properties = properties_of(dataset);
  if (layout_of(properties.id()) == H5D_VIRTUAL || H5Pget_external_count(properties.id()) > 0) {
    return "its numbers are in other files; join them into one";
  }
  const hdf5::Handle space(H5Dget_space(dataset), H5Sclose, "shape of a dataset");
  const hdf5::Handle type(H5Dget_type(dataset), H5Tclose, "type of a dataset");
  const auto count = static_cast<double>(H5Sget_simple_extent_npoints(space.id()));
  const double bytes = count * static_cast<double>(H5Tget_size(type.id()));
  constexpr double most_compressed = 1032;  // of deflate, https://zlib.net/zlib_tech.html
  if (bytes <= most_compressed * static_cast<double>(file_bytes)) return "";
  return "declares " + std::to_string(static_cast<std::uint64_t>(count)) +
         " numbers, more than the file can hold; write or copy it again";
}

}  // namespace gothic::files
