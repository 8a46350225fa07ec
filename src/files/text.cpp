#include "files/text.hpp"

#include <fmt/format.h>
#include <utf8.h>

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

namespace gothic::files {
namespace {

/// Below a minute: three digits, but no more than whole milliseconds need.
std::string short_duration(double seconds) {
  if (seconds >= 9.995) return formatted("{:.0f} s", seconds);
  if (seconds >= 0.9995 || seconds == 0) return formatted("{:.3g} s", seconds);
  return seconds >= 0.9995e-3 ? formatted("{:.3g} ms", 1e3 * seconds)
                              : formatted("{:.3g} us", 1e6 * seconds);
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

}  // namespace gothic::files
