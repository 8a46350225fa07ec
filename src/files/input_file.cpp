#include "files/input_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "files/text.hpp"

namespace gothic::files {
namespace {

using Shape = std::vector<hsize_t>;

Shape shape_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  Shape shape(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

std::string text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

/// Whether numbers of type `stored` can become numbers of type `wanted`: any number can become a
/// real, only an integer can become an integer.
bool convertible(hid_t stored, hid_t wanted) {
  const H5T_class_t from = H5Tget_class(stored);
  if (from == H5T_INTEGER) return true;
  return from == H5T_FLOAT && H5Tget_class(wanted) == H5T_FLOAT;
}

/// Seconds of processor time that the slowest machine needs to read so many bytes.
long seconds_to_read(std::uintmax_t bytes) {
  constexpr std::uintmax_t fewest_seconds = 5, bytes_per_second = 1 << 24;
  return static_cast<long>(fewest_seconds + bytes / bytes_per_second);
}

std::filesystem::path readable(std::filesystem::path path) {
  require_readable(path);
  return path;
}

}  // namespace

void require_readable(const std::filesystem::path& path, const std::string& field) {
  const auto fail = [&](const std::string& problem) {
    throw InputError(path.string() + ": " + field + ": " + problem);
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error == std::errc::permission_denied) {
    fail("is in a folder without permission to open it; make the folder accessible");
  }
  if (!std::filesystem::exists(status)) fail("there is no such file; check the name");
  if (std::filesystem::is_directory(status)) fail("is a folder; give the name of a file");
  if (!std::filesystem::is_regular_file(status)) {
    fail("is a device or a pipe; give the name of a file");
  }
  if (::access(path.c_str(), R_OK) != 0) {
    fail(fmt::format("cannot be opened ({}); make it readable", std::strerror(errno)));
  }
}

std::string read_text(const std::filesystem::path& path, const std::string& field) {
  require_readable(path, field);
  const std::uintmax_t bytes = std::filesystem::file_size(path);
  if (bytes > longest_text) {
    throw InputError(
        fmt::format("{}: {}: has {} bytes, and at most {} are read; give the name of a text file",
                    path.string(), field, bytes, longest_text));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(bytes, '\0');
  in.read(text.data(), std::streamsize(bytes));
  text.resize(std::size_t(in.gcount()));
  return text;
}

InputFile::InputFile(std::filesystem::path path)
    : path_(readable(std::move(path))),
      bytes_(std::filesystem::file_size(path_)),
      guard_(path_, seconds_to_read(bytes_)) {
  hdf5::silence();
  const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0 && H5Fis_hdf5(path_.c_str()) <= 0) {
    fail("input", "is not an HDF5 file; give a GADGET HDF5 snapshot, such as gothic-ic writes");
  }
  if (file < 0) fail("input", "is truncated or damaged; write or copy it again");
  file_ = hdf5::Handle(file, H5Fclose, "file");
}

void InputFile::fail(const std::string& field, const std::string& problem) const {
  throw InputError(path_.string() + ": " + field + ": " + problem);
}

void InputFile::fail_damaged(const std::string& field) const {
  fail(field, "cannot be read; the file is damaged, write or copy it again");
}

hdf5::Handle InputFile::own(hid_t id, hdf5::Handle::Close close, const std::string& field) const {
  if (id < 0) fail_damaged(field);
  return {id, close, field};
}

bool InputFile::has(const std::string& object) const {
  const std::size_t slash = object.find('/', 1);
  if (slash != std::string::npos && !has(object.substr(0, slash))) return false;
  return H5Lexists(file_.id(), object.c_str(), H5P_DEFAULT) > 0;
}

bool InputFile::has_attribute(const std::string& group, const std::string& name) const {
  return has(group) && H5Aexists_by_name(file_.id(), group.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<double> InputFile::numbers(const std::string& group, const std::string& name) const {
  const std::string field = group + "/" + name;
  if (!has(group))
    fail(group, "the group is missing; give a GADGET HDF5 snapshot, such as gothic-ic writes");
  if (!has_attribute(group, name)) fail(field, "the attribute is missing; add it to the file");
  const hdf5::Handle attribute =
      own(H5Aopen_by_name(file_.id(), group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
          H5Aclose, field);
  const hdf5::Handle space = own(H5Aget_space(attribute.id()), H5Sclose, field);
  const hdf5::Handle type = own(H5Aget_type(attribute.id()), H5Tclose, field);
  if (!convertible(type.id(), H5T_NATIVE_DOUBLE)) fail(field, "is not a number; store numbers");
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (count <= 0) fail(field, "holds no numbers; store at least one");
  std::vector<double> values(static_cast<std::size_t>(count));
  if (H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, values.data()) < 0) fail_damaged(field);
  return values;
}

std::vector<double> InputFile::numbers(const std::string& group, const std::string& name,
                                       std::size_t count) const {
  std::vector<double> values = numbers(group, name);
  if (values.size() == count) return values;
  fail(group + "/" + name, fmt::format("holds {} numbers; it needs {}", values.size(), count));
}

std::size_t InputFile::rows(const std::string& field, std::size_t columns) const {
  const hdf5::Handle dataset = open(field);
  const hdf5::Handle space = own(H5Dget_space(dataset.id()), H5Sclose, field);
  const Shape shape = shape_of(space.id());
  const bool good = columns == 1 ? shape.size() == 1 : shape.size() == 2 && shape[1] == columns;
  if (!good) {
    const std::string wanted = columns == 1 ? "[N]" : fmt::format("[N, {}]", columns);
    fail(field, fmt::format("has shape {}; it needs {}", text(shape), wanted));
  }
  return shape[0];
}

std::vector<std::string> InputFile::names(const std::string& group) const {
  std::vector<std::string> names;
  if (!has(group)) return names;
  const hdf5::Handle open = own(H5Gopen2(file_.id(), group.c_str(), H5P_DEFAULT), H5Gclose, group);
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* all) {
    static_cast<std::vector<std::string>*>(all)->emplace_back(name);
    return herr_t{0};
  };
  hsize_t first = 0;
  if (H5Literate(open.id(), H5_INDEX_NAME, H5_ITER_INC, &first, take, &names) < 0) {
    fail_damaged(group);
  }
  return names;
}

NumberKind InputFile::kind(const std::string& field) const {
  const hdf5::Handle dataset = open(field);
  const hdf5::Handle space = own(H5Dget_space(dataset.id()), H5Sclose, field);
  const hdf5::Handle type = own(H5Dget_type(dataset.id()), H5Tclose, field);
  const Shape shape = shape_of(space.id());
  return {H5Tget_class(type.id()) == H5T_FLOAT, H5Tget_size(type.id()),
          shape.size() > 1 ? std::size_t{shape[1]} : 1};
}

std::vector<std::string> InputFile::texts(const std::string& field) const {
  const hdf5::Handle dataset = open(field);
  const hdf5::Handle space = own(H5Dget_space(dataset.id()), H5Sclose, field);
  const hdf5::Handle type = own(H5Dget_type(dataset.id()), H5Tclose, field);
  const Shape shape = shape_of(space.id());
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0 ||
      shape.size() != 1) {
    fail(field, "is not a list of strings of fixed length; store them so");
  }
  const std::size_t width = H5Tget_size(type.id());
  std::string all(shape[0] * width, '\0');
  if (H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0) {
    fail_damaged(field);
  }
  std::vector<std::string> result(shape[0]);
  for (std::size_t row = 0; row < result.size(); ++row) {
    const std::string text = all.substr(row * width, width);
    const std::string whole = text.substr(0, text.find('\0'));
    result[row] = whole.substr(0, whole.find_last_not_of(' ') + 1);
  }
  return result;
}

template <class Take>
void InputFile::for_each_attribute(const std::string& group, Take take) const {
  if (!has(group)) return;
  const auto visit = [](hid_t where, const char* name, const H5A_info_t*, void* to) -> herr_t {
    try {  // no exception may pass through the library
      const hdf5::Handle attribute(H5Aopen(where, name, H5P_DEFAULT), H5Aclose, name);
      const hdf5::Handle type(H5Aget_type(attribute.id()), H5Tclose, name);
      const hdf5::Handle space(H5Aget_space(attribute.id()), H5Sclose, name);
      if (H5Sget_simple_extent_npoints(space.id()) == 1) {
        (*static_cast<Take*>(to))(valid_utf8(name), attribute.id(), type.id());
      }
    } catch (const hdf5::Failure&) {
      return -1;
    }
    return 0;
  };
  const hdf5::Handle at = own(H5Gopen2(file_.id(), group.c_str(), H5P_DEFAULT), H5Gclose, group);
  if (H5Aiterate2(at.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &take) < 0) {
    fail_damaged(group);
  }
}

std::map<std::string, std::string> InputFile::text_attributes(const std::string& group) const {
  std::map<std::string, std::string> result;
  for_each_attribute(group, [&](const std::string& name, hid_t attribute, hid_t type) {
    if (H5Tget_class(type) != H5T_STRING) return;
    if (H5Tis_variable_str(type) > 0) {
      char* text = nullptr;
      if (H5Aread(attribute, type, static_cast<void*>(&text)) < 0 || !text) return;
      result[name] = valid_utf8(text);
      H5free_memory(text);
      return;
    }
    std::string text(H5Tget_size(type), '\0');
    if (H5Aread(attribute, type, text.data()) >= 0) result[name] = valid_utf8(text.c_str());
  });
  return result;
}

std::map<std::string, double> InputFile::number_attributes(const std::string& group) const {
  std::map<std::string, double> result;
  for_each_attribute(group, [&](const std::string& name, hid_t attribute, hid_t type) {
    double number = 0;
    if (convertible(type, H5T_NATIVE_DOUBLE) &&
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0) {
      result[name] = number;
    }
  });
  return result;
}

bool InputFile::has_signed_integers(const std::string& field) const {
  const hdf5::Handle dataset = open(field);
  const hdf5::Handle type = own(H5Dget_type(dataset.id()), H5Tclose, field);
  return H5Tget_class(type.id()) == H5T_INTEGER && H5Tget_sign(type.id()) == H5T_SGN_2;
}

hdf5::Handle InputFile::open(const std::string& field) const {
  if (!has(field)) fail(field, "the dataset is missing; add it to the file");
  const hid_t id = H5Dopen2(file_.id(), field.c_str(), H5P_DEFAULT);
  if (id < 0) fail(field, "is not a dataset; store the numbers there");
  hdf5::Handle dataset(id, H5Dclose, field);
  require_numbers_inside(id, field);
  return dataset;
}

void InputFile::require_numbers_inside(hid_t dataset, const std::string& field) const {
  const hdf5::Handle properties = own(H5Dget_create_plist(dataset), H5Pclose, field);
  if (H5Pget_layout(properties.id()) == H5D_VIRTUAL || H5Pget_external_count(properties.id()) > 0) {
    fail(field, "its numbers are in other files; give the name of one of these, or join them");
  }
  const hdf5::Handle space = own(H5Dget_space(dataset), H5Sclose, field);
  const hdf5::Handle type = own(H5Dget_type(dataset), H5Tclose, field);
  const auto count = static_cast<double>(H5Sget_simple_extent_npoints(space.id()));
  const double bytes = count * static_cast<double>(H5Tget_size(type.id()));
  constexpr double most_compressed = 1032;  // deflate's limit, https://zlib.net/zlib_tech.html
  if (bytes <= most_compressed * static_cast<double>(bytes_)) return;
  fail(field,
       fmt::format("declares {:.0f} numbers, more than the file can hold; write or copy it again",
                   count));
}

hdf5::Handle InputFile::open(const std::string& field, std::size_t rows,
                             std::size_t columns) const {
  hdf5::Handle dataset = open(field);
  const hdf5::Handle space = own(H5Dget_space(dataset.id()), H5Sclose, field);
  const Shape wanted = columns == 1 ? Shape{rows} : Shape{rows, columns};
  const Shape found = shape_of(space.id());
  if (found != wanted) {
    fail(field, fmt::format("has shape {}; it needs {}, as /Header/NumPart_ThisFile says",
                            text(found), text(wanted)));
  }
  return dataset;
}

void InputFile::read(hid_t dataset, const std::string& field, hid_t type, std::size_t first,
                     std::size_t count, void* destination) const {
  const hdf5::Handle stored = own(H5Dget_type(dataset), H5Tclose, field);
  if (!convertible(stored.id(), type)) {
    const bool real = H5Tget_class(type) == H5T_FLOAT;
    fail(field, std::string("has the wrong type; store ") +
                    (real ? "floating-point numbers" : "integers"));
  }
  try {
    hdf5::read_rows(dataset, type, first, count, destination);
  } catch (const hdf5::Failure&) {
    fail_damaged(field);
  }
}

}  // namespace gothic::files
