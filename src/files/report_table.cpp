#include "files/report_table.hpp"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>

#include "files/text.hpp"

namespace gothic::files {
namespace {

using Cell = ReportTable::Cell;
using Line = std::vector<std::string>;

/// The text of a cell; `of_number` makes the text of a double.
template <class OfNumber>
std::string text_of(const Cell& cell, OfNumber of_number) {
  if (const auto* word = std::get_if<std::string>(&cell)) return *word;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return of_number(*number);
  return {};
}

/// The names of the columns, then the cells of each row.
template <class OfNumber>
std::vector<Line> lines_of(const ReportTable& table, OfNumber of_number) {
  const Line& names = table.columns();
  std::vector<Line> lines = {names};
  for (const ReportRow& row : table.rows()) {
    Line& line = lines.emplace_back(names.size());
    for (const auto& [name, cell] : row.cells()) {
      const auto column = std::ranges::find(names, name) - names.begin();
      line[std::size_t(column)] = text_of(cell, of_number);
    }
  }
  return lines;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
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

void ReportTable::add(ReportRow row) {
  for (const auto& [name, cell] : row.cells()) {
    if (std::ranges::find(columns_, name) == columns_.end()) columns_.push_back(name);
  }
  rows_.push_back(std::move(row));
}

void print(std::ostream& out, const ReportTable& table) {
  std::vector<Line> lines = lines_of(table, [](double value) { return rounded(value, 4); });
  const auto& first = table.rows().front().cells();
  const bool one_row = table.rows().size() == 1;
  if (one_row) {
    std::vector<Line> pairs;
    for (std::size_t i = 0; i < first.size(); ++i) pairs.push_back({lines[0][i], lines[1][i]});
    lines = std::move(pairs);
  }
  std::vector<std::size_t> width(lines.front().size());
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  }
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool words =
          one_row ? i == 0
                  : i < first.size() && std::holds_alternative<std::string>(first[i].second);
      out << (i > 0 ? "  " : "") << (words ? std::left : std::right) << std::setw(int(width[i]))
          << line[i];
    }
    out << '\n';
  }
}

void write_csv(std::ostream& out, const ReportTable& table, const ReportRow& origin) {
  for (const auto& [name, cell] : origin.cells()) {
    const auto* word = std::get_if<std::string>(&cell);
    out << "# " << name << ": "
        << (word ? nlohmann::json(valid_utf8(*word)).dump() : text_of(cell, shortest)) << '\n';
  }
  for (const Line& line : lines_of(table, shortest)) {
    for (std::size_t i = 0; i < line.size(); ++i) out << (i > 0 ? "," : "") << quoted(line[i]);
    out << '\n';
  }
}

}  // namespace gothic::files
