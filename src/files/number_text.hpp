#pragma once

#include <charconv>
#include <string>

namespace gothic::files {

/// The shortest text that stands for this number.
inline std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// The value in so many significant digits.
inline std::string rounded(double value, int digits) {
  char text[32];
  const auto general = std::chars_format::general;
  return {text, std::to_chars(text, text + sizeof text, value, general, digits).ptr};
}

}  // namespace gothic::files
