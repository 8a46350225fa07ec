#include "ic/density_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>

#include "files/error.hpp"
#include "files/text_file.hpp"
#include "files/toml_section.hpp"

namespace gothic::ic {
namespace {

constexpr std::size_t fewest_rows = 4;
constexpr double smallest = 1e-30, largest = 1e30;

/// What is wrong with a line of two words after `previous`, the row before or null; empty if
/// nothing.
std::string problem_of(const std::array<double, 2>& row, const std::array<double, 2>* previous) {
  const auto [radius, density] = row;
  if (!std::isfinite(radius) || !std::isfinite(density)) return "is not finite; write numbers";
  if (radius <= 0) return "the radius is " + files::in_words(radius) + "; it must be positive";
  if (density <= 0) {
    return "the density is " + files::in_words(density) +
           "; it must be positive, leave out rows without";
  }
  if (std::min(radius, density) < smallest || std::max(radius, density) > largest) {
    return "is not from " + files::in_words(smallest) + " to " + files::in_words(largest) +
           "; choose other units";
  }
  if (previous && radius <= (*previous)[0]) {
    return "the radius " + files::in_words(radius) + " does not exceed the one before, " +
           files::in_words((*previous)[0]) + "; sort the rows";
  }
  return "";
}

}  // namespace

std::vector<std::array<double, 2>> read_density_table(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::istringstream in(files::read_text(path, "table"));
  std::vector<std::array<double, 2>> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    if ((words >> std::ws).eof()) continue;
    const std::string where = file + ":" + std::to_string(number) + ": table: ";
    std::array<double, 2> row{};
    if (!(words >> row[0] >> row[1]) || !(words >> std::ws).eof()) {
      throw InputError(where + "is not two numbers; write radius and density");
    }
    const std::string problem = problem_of(row, rows.empty() ? nullptr : &rows.back());
    if (!problem.empty()) throw InputError(where + problem);
    rows.push_back(row);
  }
  if (rows.size() < fewest_rows) {
    throw InputError(file + ": table: has " + std::to_string(rows.size()) +
                     " rows; give at least " + std::to_string(fewest_rows));
  }
  return rows;
}

}  // namespace gothic::ic
