#include "files/attribute.hpp"

#include "files/hdf5.hpp"

namespace gothic::files {
namespace {

void store(hid_t where, const std::string& name, hid_t stored, hid_t native, hid_t space,
           const void* data) {
  const std::string what = "attribute " + name;
  if (H5Aexists(where, name.c_str()) > 0) {
    hdf5::check(H5Adelete(where, name.c_str()), what);
  }
  const hdf5::Handle attribute(
      H5Acreate2(where, name.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  hdf5::check(H5Awrite(attribute.id(), native, data), what);
}

void store_list(hid_t where, const std::string& name, hid_t stored, hid_t native, hsize_t size,
                const void* data) {
  const hdf5::Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, name);
  store(where, name, stored, native, space.id(), data);
}

void store_scalar(hid_t where, const std::string& name, hid_t stored, hid_t native,
                  const void* data) {
  const hdf5::Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  store(where, name, stored, native, space.id(), data);
}

struct ScalarWriter {
  hid_t where;
  const std::string& name;

  void operator()(std::int64_t value) const {
    store_scalar(where, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
  }
  void operator()(double value) const {
    store_scalar(where, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
  }
  void operator()(const std::string& value) const {
    if (value.empty()) return;
    const hdf5::Handle type = hdf5::fixed_text(value.size());
    store_scalar(where, name, type.id(), type.id(), value.data());
  }
};

}  // namespace

void write_attribute(hid_t where, const std::string& name, const Attribute& value) {
  std::visit(ScalarWriter{where, name}, value);
}

void write_attribute(hid_t where, const std::string& name, std::span<const double> values) {
  store_list(where, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void write_attribute(hid_t where, const std::string& name, std::span<const std::int32_t> values) {
  store_list(where, name, H5T_STD_I32LE, H5T_NATIVE_INT32, values.size(), values.data());
}

void write_attribute(hid_t where, const std::string& name, std::span<const std::uint32_t> values) {
  store_list(where, name, H5T_STD_U32LE, H5T_NATIVE_UINT32, values.size(), values.data());
}

void write_scalar_attribute(hid_t where, const std::string& name, std::int32_t value) {
  store_scalar(where, name, H5T_STD_I32LE, H5T_NATIVE_INT32, &value);
}

void write_attributes(hid_t file, const std::string& name, const Attributes& attributes) {
  const hdf5::Handle group = hdf5::open_or_create_group(file, name);
  for (const auto& [key, value] : attributes) write_attribute(group.id(), key, value);
}

}  // namespace gothic::files
