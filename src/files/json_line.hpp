#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace gothic::files {

/// A JSON object (RFC 8259) of names and plain values on one line.
class JsonLine {
 public:
  /// Text in UTF-8; bytes that are not become U+FFFD.
  JsonLine& put(std::string_view name, std::string_view value);
  JsonLine& put(std::string_view name, const char* value) {
    return put(name, std::string_view(value));
  }
  /// The shortest text that stands for the number; null where it is not finite, for which JSON has
  /// no number.
  JsonLine& put(std::string_view name, double value);
  JsonLine& put(std::string_view name, std::integral auto value) {
    return put_text(name, std::to_string(value));
  }

  JsonLine& put_null(std::string_view name) { return put_text(name, "null"); }

  /// The object, without an end of line.
  std::string text() const { return members_.empty() ? "{}" : members_ + '}'; }

 private:
  JsonLine& put_text(std::string_view name, const std::string& value);

  std::string members_;
};

}  // namespace gothic::files
