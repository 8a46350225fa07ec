#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/device/vec4.hpp"

/// The parts of HDF5's C interface that src/files needs, with ownership and errors.
/// The library is not thread-safe: use it from one thread at a time. Code that may run while a
/// snapshot is written in the background holds a Lock.
namespace gothic::files::hdf5 {

/// A call of the HDF5 library failed. what() says that the disk is full or names the object;
/// callers add the name of the file.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Failure about `what` if `status` (of any HDF5 call) is negative.
void check(hid_t status, const std::string& what);

/// Owns an HDF5 identifier and closes it with the function given.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Takes over `id`; throws Failure about `what` if it is negative.
  Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
    check(id, what);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t id() const { return id_; }

  /// Gives up ownership.
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// The numbers in a row of a dataset: a row is a number or a vector.
template <class Row>
struct NumberOf {
  using Type = Row;
};
template <class T, std::size_t n>
struct NumberOf<std::array<T, n>> {
  using Type = T;
};
template <>
struct NumberOf<Vec4> {
  using Type = float;
};

template <class Row>
inline constexpr hsize_t columns_of = sizeof(Row) / sizeof(typename NumberOf<Row>::Type);

/// The native HDF5 type of the numbers in a row.
template <class Row>
hid_t native_type() {
  using T = typename NumberOf<Row>::Type;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

/// The type of UTF-8 strings of `size` bytes, filled up with zeros.
Handle fixed_text(std::size_t size);

/// Opens the group `name` of `file`, making it if it is not there.
Handle open_or_create_group(hid_t file, const std::string& name);

/// Makes the dataset `name` of `rows` rows of `columns` numbers; with one column it is
/// one-dimensional.
/// \param compression 0: contiguous; 1 to 9: in pieces, compressed by gzip at that level
Handle create_dataset(hid_t group, const std::string& name, hid_t type, hsize_t rows,
                      hsize_t columns, int compression = 0);

/// Writes rows [first, first + count) of a dataset from `data`, of HDF5 type `type`.
void write_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void* data);

/// Reads rows [first, first + count) of a dataset to `data`, as numbers of HDF5 type `type`.
void read_rows(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void* data);

/// Writes `rows` as the dataset `name`.
template <class Row>
void write_dataset(hid_t group, const std::string& name, const std::vector<Row>& rows) {
  const hid_t type = native_type<Row>();
  const Handle dataset = create_dataset(group, name, type, rows.size(), columns_of<Row>);
  write_rows(dataset.id(), type, 0, rows.size(), rows.data());
}

/// Keeps other threads from the library while this thread uses it, and silences this thread.
struct Lock : std::unique_lock<std::recursive_mutex> {
  Lock();
  explicit Lock(std::try_to_lock_t now);
};

/// Stops the library from printing the error stack of this thread: errors are reported by
/// exceptions. A thread calls this, or holds a Lock, before it uses the library.
void silence();

}  // namespace gothic::files::hdf5

namespace gothic::files {

/// A small value with a name, stored as an HDF5 attribute. Empty strings are not stored.
using Attribute = std::variant<std::int64_t, double, std::string>;
using Attributes = std::map<std::string, Attribute>;

/// Writes one attribute of the open group or dataset `where`, replacing one of the same name.
void write_attribute(hid_t where, const std::string& name, const Attribute& value);

/// Writes an attribute from `data` of an HDF5 type: one value if `shape` is empty, otherwise an
/// array.
void write_attribute(hid_t where, const std::string& name, hid_t type,
                     std::span<const hsize_t> shape, const void* data);

/// Writes an attribute that is a list of numbers, which keep their width.
template <class T, std::size_t n>
void write_attribute(hid_t where, const std::string& name, const std::array<T, n>& numbers) {
  write_attribute(where, name, hdf5::native_type<T>(), std::array{hsize_t{n}}, numbers.data());
}

/// Writes all `attributes` to the group `name` of `file`, which is made if it is not there.
void write_attributes(hid_t file, const std::string& name, const Attributes& attributes);

}  // namespace gothic::files
