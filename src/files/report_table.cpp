#include "files/report_table.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iomanip>
#include <ostream>

#include "files/text.hpp"

namespace gothic::files {

namespace {

using Cell = ReportTable::Cell;

bool is_word(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

/// The text of a cell; `of_number` makes that of a double.
template <class OfNumber>
std::string text_of(const Cell& cell, OfNumber of_number) {
  if (const auto* word = std::get_if<std::string>(&cell)) return *word;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return of_number(*number);
  return {};
}

/// Four digits, for readers.
std::string for_readers(double value) { return rounded(value, 4); }

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

void print_one_row(std::ostream& out, const ReportTable& table) {
  std::size_t name_width = 0, value_width = 0;
  std::vector<std::string> values;
  for (const std::string& name : table.columns()) name_width = std::max(name_width, name.size());
  for (const Cell& cell : table.rows().front()) {
    values.push_back(text_of(cell, for_readers));
    value_width = std::max(value_width, values.back().size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    out << std::left << std::setw(int(name_width)) << table.columns()[i] << "  " << std::right
        << std::setw(int(value_width)) << values[i] << '\n';
  }
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {0.5 * (values[(n - 1) / 2] + values[n / 2]), values.front(), values.back()};
}

ReportRow& ReportRow::put_cell(std::string name, Cell value) {
  cells_.emplace_back(std::move(name), std::move(value));
  return *this;
}

ReportRow& ReportRow::put(const std::string& name, const Spread& spread) {
  return put(name, spread.median).put(name + "_min", spread.least).put(name + "_max", spread.most);
}

std::size_t ReportTable::column(const std::string& name) {
  const auto known = std::find(columns_.begin(), columns_.end(), name);
  if (known != columns_.end()) return std::size_t(known - columns_.begin());
  columns_.push_back(name);
  for (auto& row : rows_) row.emplace_back();
  return columns_.size() - 1;
}

void ReportTable::add(const ReportRow& row) {
  rows_.emplace_back(columns_.size());
  for (const auto& [name, value] : row.cells()) {
    const std::size_t place = column(name);
    rows_.back()[place] = value;
  }
}

void ReportTable::put_all(const std::string& name, const Cell& value) {
  const std::size_t place = column(name);
  for (auto& row : rows_) row[place] = value;
}

void print(std::ostream& out, const ReportTable& table) {
  if (table.rows().size() == 1) return print_one_row(out, table);
  const std::size_t columns = table.columns().size();
  std::vector<std::size_t> width(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    width[i] = table.columns()[i].size();
    for (const auto& row : table.rows()) {
      width[i] = std::max(width[i], text_of(row[i], for_readers).size());
    }
  }
  const auto print_line = [&](auto text_at) {
    for (std::size_t i = 0; i < columns; ++i) {
      out << (i > 0 ? "  " : "") << (is_word(table.rows().front()[i]) ? std::left : std::right)
          << std::setw(int(width[i])) << text_at(i);
    }
    out << '\n';
  };
  print_line([&](std::size_t i) { return table.columns()[i]; });
  for (const auto& row : table.rows()) {
    print_line([&](std::size_t i) { return text_of(row[i], for_readers); });
  }
}

CsvFile::CsvFile(std::filesystem::path path) : names_(std::move(path)), out_(names_.partial()) {
  if (!out_) names_.fail(std::strerror(errno));
}

void CsvFile::finish(const ReportTable& table) {
  const auto write_line = [&](const auto& cells, auto text) {
    const char* separator = "";
    for (const auto& cell : cells) {
      out_ << separator << quoted(text(cell));
      separator = ",";
    }
    out_ << '\n';
  };
  write_line(table.columns(), [](const std::string& name) { return name; });
  for (const auto& row : table.rows()) {
    write_line(row, [](const Cell& cell) { return text_of(cell, shortest); });
  }
  out_.close();
  if (!out_) names_.fail(std::strerror(errno));
  names_.commit();
}

}  // namespace gothic::files
