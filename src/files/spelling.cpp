#include "files/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gothic::files {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of the letters of a so far to those of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (letter == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view>& known) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < std::min(least, candidate.size())) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string advice(std::string_view word, const std::vector<std::string_view>& known) {
  std::string list;
  for (const std::string_view candidate : known) {
    list += (list.empty() ? "" : ", ") + std::string(candidate);
  }
  const std::string near = nearest(word, known);
  if (near.empty()) return "use one of: " + list;
  return "did you mean '" + near + "'? Known are: " + list;
}

}  // namespace gothic::files
