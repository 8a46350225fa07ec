#include "files/human_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace gothic::files {
namespace {

/// Below a minute: three digits, but no more than whole milliseconds need.
std::string short_duration(double seconds) {
  if (seconds >= 9.995) return formatted("%.0f s", seconds);
  if (seconds >= 0.9995 || seconds == 0) return formatted("%.3g s", seconds);
  return seconds >= 0.9995e-3 ? formatted("%.3g ms", 1e3 * seconds)
                              : formatted("%.3g us", 1e6 * seconds);
}

}  // namespace

std::string formatted(const char* format, double value) {
  if (!std::isfinite(value)) return "?";
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string with_prefix(double value) {
  constexpr std::array prefixes = {"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return formatted("%.3g", value) + prefixes[prefix];
}

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
    return formatted("%.0f ", whole) + unit.name + formatted(" %02.0f ", rest) + unit.next;
  }
  return short_duration(seconds);
}

}  // namespace gothic::files
