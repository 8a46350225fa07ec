#include "files/toml_text.hpp"

#include <algorithm>
#include <string_view>

#include "files/error.hpp"

namespace gothic::files {
namespace {

/// TOML has it in strings and comments alone, and not behind a backslash.
constexpr char stand_in = '`';

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Whether a text ends with a backslash that may join the next line to its own, and space up to
/// what that line begins with.
bool joins_lines(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == text.npos || text.find('\n', last) == text.npos) return false;
  const std::size_t backslashes = last - text.find_last_not_of('\\', last);
  return backslashes % 2 == 1;
}

/// The text with a stand-in and two digits for each byte of characters beyond ASCII. They get a
/// backslash where a string is joined to the line before, which TOML does not have.
std::string with_ascii_alone(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    if (is_ascii(c)) {
      result += c;
      continue;
    }
    if (joins_lines(result)) result += '\\';
    const auto byte = static_cast<unsigned char>(c);
    result += {stand_in, digits[byte / 16], digits[byte % 16]};
  }
  return result;
}

/// The rest of a text from a place on, which may be behind its end.
std::string_view from(std::string_view text, const toml::source_position& place) {
  for (toml::source_index line = 1; line < place.line; ++line) {
    text.remove_prefix(text.find('\n') + 1);
  }
  return text.substr(std::min<std::size_t>(place.column - 1, text.size()));
}

[[noreturn]] void fail(const std::string& file, const toml::source_position& place,
                       std::string_view problem) {
  throw InputError(file + ":" + std::to_string(place.line) +
                   ": not valid TOML: " + std::string(problem) + "; correct the line");
}

/// Throws InputError for characters beyond ASCII where the behaviour of toml++ 3.3 is undefined:
/// outside of strings and comments, behind a backslash, and in what is not TOML.
void require_defined_behaviour(const std::string& file, std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (std::ranges::all_of(text, is_ascii)) return;
  const std::string ascii = with_ascii_alone(text);
  try {
    static_cast<void>(toml::parse(ascii));
  } catch (const toml::parse_error& error) {
    const toml::source_position place = error.source().begin;
    if (!from(ascii, place).starts_with(stand_in)) fail(file, place, error.description());
    fail(file, place,
         "a character that is not ASCII is neither in quotes nor in a comment, or follows a "
         "backslash");
  }
}

}  // namespace

toml::table parse_toml(const std::string& file, const std::string& text) {
  require_defined_behaviour(file, text);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    fail(file, error.source().begin, error.description());
  }
}

}  // namespace gothic::files
