#include "files/json_line.hpp"

#include <cmath>
#include <cstdio>

#include "files/number_text.hpp"
#include "files/utf8.hpp"

namespace gothic::files {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char c = text.front();
    if (length == 0) {
      result += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      result += code;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

}  // namespace

JsonLine& JsonLine::put(std::string_view name, std::string_view value) {
  return put_text(name, quoted(value));
}

JsonLine& JsonLine::put(std::string_view name, double value) {
  return put_text(name, std::isfinite(value) ? shortest(value) : "null");
}

JsonLine& JsonLine::put_text(std::string_view name, const std::string& value) {
  members_ += (members_.empty() ? "{" : ", ") + quoted(name) + ": " + value;
  return *this;
}

}  // namespace gothic::files
