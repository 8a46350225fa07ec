#include "files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utf8.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>

namespace gothic::files {
namespace {

/// A time below a minute, with up to three digits.
std::string short_duration(double seconds) {
  if (seconds >= 9.995) return formatted("{:.0f} s", seconds);
  if (seconds >= 0.9995 || seconds == 0) return formatted("{:.3g} s", seconds);
  return seconds >= 0.9995e-3 ? formatted("{:.3g} ms", 1e3 * seconds)
                              : formatted("{:.3g} us", 1e6 * seconds);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j]: distance of the first i letters of a from the first j letters of b; the other rows: the
  // same for one and two letters less of a
  std::vector<std::size_t> row(b.size() + 1), one_less = row, two_less = row;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    two_less.swap(one_less);
    one_less.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchanged = one_less[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({exchanged, one_less[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], two_less[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string rounded(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string formatted(std::string_view format, double value) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "?";
}

std::string with_prefix(double value) {
  constexpr std::array prefixes = {"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return formatted("{:.3g}", value) + prefixes[prefix];
}

std::string bytes(double count) { return with_prefix(count) + (count < 999.5 ? " B" : "B"); }

std::string duration(double seconds) {
  struct Unit {
    double seconds;
    const char *name, *next;
    double next_seconds;
  };
  constexpr Unit units[] = {{86400, "d", "h", 3600}, {3600, "h", "min", 60}, {60, "min", "s", 1}};
  if (!std::isfinite(seconds)) return "?";
  for (const Unit& unit : units) {
    const double rounded = std::round(seconds / unit.next_seconds) * unit.next_seconds;
    if (rounded < unit.seconds) continue;
    const double whole = std::floor(rounded / unit.seconds);
    const double rest = (rounded - whole * unit.seconds) / unit.next_seconds;
    return fmt::format("{:.0f} {} {:02.0f} {}", whole, unit.name, rest, unit.next);
  }
  return short_duration(seconds);
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  utf8::replace_invalid(text.begin(), text.end(), std::back_inserter(result), U'?');
  return result;
}

std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

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
  const std::string list = fmt::format("{}", fmt::join(known, ", "));
  const std::string near = nearest(word, known);
  if (near.empty()) return "use one of: " + list;
  return "did you mean '" + near + "'? Known are: " + list;
}

}  // namespace gothic::files
