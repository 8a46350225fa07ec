#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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

/// An HDF5 file opened for reading. All errors are InputErrors "FILE: FIELD: what is wrong;
/// remedy".
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);

  /// Throws the InputError about `field`.
  [[noreturn]] void fail(const std::string& field, const std::string& problem) const;

  bool has(const std::string& object) const;
  bool has_attribute(const std::string& group, const std::string& name) const;

  /// The numbers of an attribute of `group`, which must hold `count` of them.
  std::vector<double> numbers(const std::string& group, const std::string& name,
                              std::size_t count) const;
  double number(const std::string& group, const std::string& name) const {
    return numbers(group, name, 1).front();
  }

  /// The attributes of `group` that are strings of fixed length; none where there is no group.
  /// Bytes that are not UTF-8 become question marks.
  std::map<std::string, std::string> text_attributes(const std::string& group) const;

  /// The attributes of `group` that are single numbers; none where there is no group.
  std::map<std::string, double> number_attributes(const std::string& group) const;

  /// Throws unless the dataset `field` is there with `rows` rows of `columns` numbers
  /// (one-dimensional where columns = 1).
  void require(const std::string& field, std::size_t rows, std::size_t columns) const {
    open(field, rows, columns);
  }

  /// Number of rows of the dataset `field`.
  std::size_t length(const std::string& field) const;

  /// Number of rows of the dataset `field`, which must have rows of `columns` > 1 numbers.
  std::size_t rows(const std::string& field, std::size_t columns) const;

  /// The strings of the one-dimensional dataset `field`, which have a fixed length, without the
  /// zeros or blanks that fill them up.
  std::vector<std::string> texts(const std::string& field) const;

  /// Reads the dataset `field`, which must have `rows` rows of `columns` numbers (one-dimensional
  /// where columns = 1), to `destination`, converting them to T.
  template <class T>
  void read(const std::string& field, std::size_t rows, std::size_t columns, T* destination) const {
    read(field, rows, columns, hdf5::native_type<T>(), destination);
  }

 private:
  hdf5::Handle open(const std::string& field) const;
  hdf5::Handle open(const std::string& field, std::size_t rows, std::size_t columns) const;
  void read(const std::string& field, std::size_t rows, std::size_t columns, hid_t type,
            void* destination) const;

  /// Owns an HDF5 identifier that belongs to `field`; throws if it is none.
  hdf5::Handle own(hid_t id, hdf5::Handle::Close close, const std::string& field) const;

  std::filesystem::path path_;
  std::uintmax_t bytes_;  ///< length of the file
  CrashGuard guard_;
  hdf5::Handle file_;
};

}  // namespace gothic::files
