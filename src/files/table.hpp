#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "files/hdf5.hpp"
#include "files/output_file.hpp"
#include "files/provenance.hpp"

namespace gothic::files {

class InputFile;

/// Writes a table row by row: /GROUP/COLUMN is a one-dimensional dataset that grows. While the rows
/// come in, the file is called "NAME.partial"; finish() gives it its name. It is open only while
/// rows are written, so that others may read it in between: HDF5's locks of files keep both apart.
/// Every member throws WriteError, which names the file, if the disk is full.
class TableWriter {
 public:
  using Value = std::variant<std::int64_t, double>;
  enum class Kind { integer, real };
  struct Column {
    std::string name;
    Kind kind = Kind::real;
    std::string unit = {}, meaning = {};  ///< attributes Unit and Meaning; empty for none
  };

  /// \param earlier HDF5 file with a table of the same group and columns, as copy_to() made it,
  ///        whose rows come first; empty for none
  /// \throws InputError if the folder of `path` cannot be made or written to, or the
  ///         earlier file has no such table
  TableWriter(const std::filesystem::path& path, std::string group, std::vector<Column> columns,
              const Provenance& provenance, const std::filesystem::path& earlier = {});

  /// Keeps one row for flush(): one value per column, in the order of the columns. A column of
  /// reals takes integers; a column of integers takes no reals.
  void append(std::span<const Value> row);
  void append(std::initializer_list<Value> row) { append(std::span(row.begin(), row.size())); }

  /// Writes the rows so far to the file. They wait for the next call if somebody reads the file
  /// now, or another thread uses the library.
  void flush();

  /// Writes attributes to the group `group` of the file, e.g. "Timing".
  void set_attributes(const std::string& group, const Attributes& attributes);

  /// Writes all rows so far as the same group of another open file. Throws hdf5::Failure if the
  /// other file cannot be written to.
  void copy_to(hid_t file);

  /// Number of rows so far.
  std::size_t rows() const { return rows_written_ + rows_buffered_; }

  /// Writes the remaining rows and gives the file its name. A file that is not finished is removed.
  void finish();

 private:
  struct Target {
    Column column;
    std::variant<std::vector<double>, std::vector<std::int64_t>> buffer;  ///< rows to be written
  };

  /// Begins with the rows of a file that copy_to() wrote to.
  void take_rows(const InputFile& from);
  /// \param yields_to_readers whether the rows wait while somebody reads the file
  void write_buffered(bool yields_to_readers = true);

  OutputFile file_;
  std::string group_;
  std::vector<Target> targets_;
  std::size_t rows_written_ = 0;
  std::size_t rows_buffered_ = 0;
};

}  // namespace gothic::files
