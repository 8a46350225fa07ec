#pragma once

#include <charconv>
#include <string>

namespace gothic::io {

/// The shortest text that stands for this number.
inline std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace gothic::io
