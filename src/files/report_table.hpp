#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "files/output_file.hpp"

namespace gothic::files {

/// Repeated measurements of one quantity.
struct Spread {
  double median = 0, least = 0, most = 0;
};

/// \param values at least one
Spread spread_of(std::vector<double> values);

/// Names and values of one row of a table; the names tell the units.
class ReportRow {
 public:
  /// Empty, a number or a word.
  using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

  ReportRow& put(std::string name, std::string word) {
    return put_cell(std::move(name), std::move(word));
  }
  ReportRow& put(std::string name, double number) { return put_cell(std::move(name), number); }
  ReportRow& put(std::string name, std::integral auto number) {
    return put_cell(std::move(name), std::int64_t(number));
  }
  /// An empty cell, so that the column is there.
  ReportRow& put_nothing(std::string name) { return put_cell(std::move(name), {}); }
  /// Three columns: `name` for the median, `name`_min and `name`_max.
  ReportRow& put(const std::string& name, const Spread& spread);

  const std::vector<std::pair<std::string, Cell>>& cells() const { return cells_; }

 private:
  ReportRow& put_cell(std::string name, Cell value);

  std::vector<std::pair<std::string, Cell>> cells_;
};

/// A table for readers and for files, such as measurements, one row each.
class ReportTable {
 public:
  using Cell = ReportRow::Cell;

  /// Adds a row; what the other rows have and this one has not, or the reverse, stays empty.
  void add(const ReportRow& row);
  /// Adds the same value to every row.
  void put_all(const std::string& name, const Cell& value);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

 private:
  std::size_t column(const std::string& name);

  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// Writes a table in aligned columns, or one value to a line if there is only one row.
void print(std::ostream& out, const ReportTable& table);

/// A CSV file that appears under its name only when it is complete: see PartialFile.
class CsvFile {
 public:
  /// Throws InputError or WriteError if it cannot be made.
  explicit CsvFile(std::filesystem::path path);

  /// Writes the table, names first, and gives the file its name. Throws WriteError.
  void finish(const ReportTable& table);

 private:
  PartialFile names_;
  std::ofstream out_;
};

}  // namespace gothic::files
