#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "files/report_table.hpp"

/// Cells of the tables that benches make.
namespace gothic::test {

inline files::ReportRow::Cell cell(const files::ReportRow& row, const std::string& name) {
  for (const auto& [column, value] : row.cells()) {
    if (column == name) return value;
  }
  ADD_FAILURE() << "no column " << name;
  return {};
}

inline double number(const files::ReportRow& row, const std::string& name) {
  const auto value = cell(row, name);
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  return std::get<double>(value);
}

inline std::string word(const files::ReportRow& row, const std::string& name) {
  return std::get<std::string>(cell(row, name));
}

/// The rows that have a word in a column.
inline std::vector<files::ReportRow> rows_with(const files::ReportTable& table,
                                               const std::string& name, const std::string& text) {
  std::vector<files::ReportRow> rows;
  std::ranges::copy_if(table.rows(), std::back_inserter(rows),
                       [&](const files::ReportRow& row) { return word(row, name) == text; });
  return rows;
}

}  // namespace gothic::test
