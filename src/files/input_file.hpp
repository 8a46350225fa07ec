#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files/crash_guard.hpp"
#include "files/error.hpp"
#include "files/hdf5.hpp"

namespace gothic::files {

/// Throws InputError "FILE: FIELD: ..." unless `path` is a regular file that may be read.
void require_readable(const std::filesystem::path& path, const std::string& field = "input");

/// Bytes of the longest text that is read.
constexpr std::uintmax_t longest_text = std::uintmax_t{64} << 20;

/// The text of a file. `field` names it in messages. Throws InputError if it may not be read or is
/// longer than longest_text.
std::string read_text(const std::filesystem::path& path, const std::string& field);

/// The numbers of a dataset.
struct NumberKind {
  bool is_real;         ///< else integers
  std::size_t bytes;    ///< of a number
  std::size_t columns;  ///< numbers in a row

  bool operator==(const NumberKind&) const = default;
};

/// An HDF5 file opened for reading. All errors are InputErrors "FILE: FIELD: what is wrong;
/// remedy".
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  /// Throws the InputError about `field` with this problem.
  [[noreturn]] void fail(const std::string& field, const std::string& problem) const;

  bool has(const std::string& object) const;
  bool has_attribute(const std::string& group, const std::string& name) const;

  /// The numbers of an attribute of `group`.
  std::vector<double> numbers(const std::string& group, const std::string& name) const;
  /// The numbers of an attribute of `group`, which must hold `count` of them.
  std::vector<double> numbers(const std::string& group, const std::string& name,
                              std::size_t count) const;
  double number(const std::string& group, const std::string& name) const {
    return numbers(group, name, 1).front();
  }

  /// The attributes of `group` that are strings; none where there is no group. Bytes that are not
  /// UTF-8 become question marks.
  std::map<std::string, std::string> text_attributes(const std::string& group) const;

  /// The attributes of `group` that are single numbers; none where there is no group.
  std::map<std::string, double> number_attributes(const std::string& group) const;

  /// The strings of the one-dimensional dataset `field`, which has strings of fixed length, without
  /// the zeros or blanks that fill them up.
  std::vector<std::string> texts(const std::string& field) const;

  /// The names of what a group holds; none where there is no group.
  std::vector<std::string> names(const std::string& group) const;
  /// What numbers the dataset `field` holds.
  NumberKind kind(const std::string& field) const;

  /// Whether the dataset `field` holds integers that may be negative.
  bool has_signed_integers(const std::string& field) const;

  /// Throws unless the dataset `field` is there with `count` rows of type Row: see hdf5::NumberOf.
  template <class Row>
  void require(const std::string& field, std::size_t count) const {
    open(field, count, hdf5::columns_of<Row>);
  }

  /// Number of rows of the dataset `field`, which must be rows of type Row.
  template <class Row>
  std::size_t rows(const std::string& field) const {
    return rows(field, hdf5::columns_of<Row>);
  }

  /// Reads the dataset `field`, which must have as many rows as `rows`, converting its numbers.
  template <class Row>
  void read(const std::string& field, std::span<Row> rows) const {
    read(field, rows.size(), 0, rows);
  }

  /// Reads the rows from `first` on of the dataset `field`, which must have `count` of them.
  template <class Row>
  void read(const std::string& field, std::size_t count, std::size_t first,
            std::span<Row> rows) const {
    const hdf5::Handle dataset = open(field, count, hdf5::columns_of<Row>);
    read(dataset.id(), field, hdf5::native_type<Row>(), first, rows.size(), rows.data());
  }

  /// All rows of the dataset `field`.
  template <class Row>
  std::vector<Row> all(const std::string& field) const {
    std::vector<Row> result(rows<Row>(field));
    read(field, std::span(result));
    return result;
  }

 private:
  hdf5::Handle open(const std::string& field) const;
  hdf5::Handle open(const std::string& field, std::size_t rows, std::size_t columns) const;
  std::size_t rows(const std::string& field, std::size_t columns) const;
  void read(hid_t dataset, const std::string& field, hid_t type, std::size_t first,
            std::size_t count, void* destination) const;

  /// Throws unless the numbers of a dataset are in the file itself, and no more than its bytes can
  /// hold when compressed. So a small file that declares a large dataset is refused before memory
  /// is made for it.
  void require_numbers_inside(hid_t dataset, const std::string& field) const;

  /// Calls take(name, attribute, type) for the attributes of `group` that hold one value.
  template <class Take>
  void for_each_attribute(const std::string& group, Take take) const;

  /// Owns an HDF5 identifier that belongs to `field`; throws if it is negative.
  hdf5::Handle own(hid_t id, hdf5::Handle::Close close, const std::string& field) const;

  /// Throws the InputError for a field that the library cannot read.
  [[noreturn]] void fail_damaged(const std::string& field) const;

  std::filesystem::path path_;
  std::uintmax_t bytes_;  ///< length of the file
  CrashGuard guard_;
  hdf5::Handle file_;
};

}  // namespace gothic::files
