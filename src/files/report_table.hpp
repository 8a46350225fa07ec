#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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
  /// A cell is empty, a number or a word.
  using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

  ReportRow& put(std::string name, std::string word) {
    return put_cell(std::move(name), std::move(word));
  }
  ReportRow& put(std::string name, double number) { return put_cell(std::move(name), number); }
  ReportRow& put(std::string name, std::integral auto number) {
    return put_cell(std::move(name), std::int64_t(number));
  }
  /// Puts an empty cell, so that the table has the column.
  ReportRow& put_nothing(std::string name) { return put_cell(std::move(name), {}); }
  /// Puts three columns: `name` for the median, `name`_min and `name`_max.
  ReportRow& put(const std::string& name, const Spread& spread);

  ReportRow& put_cell(std::string name, Cell value);

  const std::vector<std::pair<std::string, Cell>>& cells() const { return cells_; }

 private:
  std::vector<std::pair<std::string, Cell>> cells_;
};

/// A table for readers and for files, such as a table with one row for each measurement.
class ReportTable {
 public:
  using Cell = ReportRow::Cell;

  /// Adds a row. A table has the columns of all its rows; a row that lacks a column has an empty
  /// cell there.
  void add(ReportRow row);

  /// Names of the columns, in the order in which rows brought them.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<ReportRow>& rows() const { return rows_; }

 private:
  std::vector<std::string> columns_;
  std::vector<ReportRow> rows_;
};

/// Writes a table in aligned columns, or one value to a line if there is only one row.
void print(std::ostream& out, const ReportTable& table);

/// Writes a table as comma-separated values, names first.
/// \param origin what made all rows; stands before the names in lines such as `# threads: 4` and
///   `# device: "CPU"`, which are YAML behind the mark of a comment
void write_csv(std::ostream& out, const ReportTable& table, const ReportRow& origin = {});

}  // namespace gothic::files
