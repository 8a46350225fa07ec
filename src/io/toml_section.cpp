#include "io/toml_section.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "io/error.hpp"
#include "io/spelling.hpp"

namespace gothic::io {

namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Where the string that starts at `start` ends: after its closing quotes, at the end of the line
/// where they are missing, or at a character beyond ASCII that a backslash has before it.
std::size_t end_of_string(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const std::string thrice(3, quote);
  const bool long_one = text.substr(start).starts_with(thrice);
  std::size_t at = start + (long_one ? 3 : 1);
  for (; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
      if (next != text.npos && !is_ascii(text[next])) return next;
      ++at;
    } else if (long_one && text.substr(at).starts_with(thrice)) {
      const std::size_t most = std::min(at + 5, text.size());  // two quotes may belong to the text
      for (at += 3; at < most && text[at] == quote;) ++at;
      return at;
    } else if (!long_one && text[at] == quote) {
      return at + 1;
    } else if (!long_one && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

/// Line of the first character beyond ASCII in valid TOML that is neither in a string nor in a
/// comment, or is behind a backslash and what space there is; 0 without one.
std::size_t line_of_stray_character(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_ascii(text[at])) {
      return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
    }
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"' || text[at] == '\'') {
      at = end_of_string(text, at);
    } else {
      ++at;
    }
  }
  return 0;
}

toml::table parse(const std::string& file, std::string_view text) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw InputError(file + ":" + std::to_string(error.source().begin.line) + ": not valid TOML: " +
                     std::string(error.description()) + "; correct the line");
  }
}

/// The text with a z and two digits for each byte of characters beyond ASCII.
std::string with_ascii_alone(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    if (is_ascii(c)) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'z', digits[byte / 16], digits[byte % 16]};
    }
  }
  return result;
}

/// Throws InputError if the text is not valid TOML in a way that matters to the characters beyond
/// ASCII: the behaviour of toml++ 3.3 is undefined for those that stand elsewhere than in strings
/// and comments. Where they stand is certain only if the text is valid but for them.
void require_defined_behaviour(const std::string& file, std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (std::ranges::all_of(text, is_ascii)) return;
  if (const std::size_t line = line_of_stray_character(text); line > 0) {
    throw InputError(
        file + ":" + std::to_string(line) +
        ": not valid TOML: a character that is not ASCII is neither in quotes nor in a "
        "comment, or follows a backslash; correct the line");
  }
  parse(file, with_ascii_alone(text));
}

}  // namespace

toml::table parse_toml(const std::string& file, const std::string& text) {
  require_defined_behaviour(file, text);
  return parse(file, text);
}

void TomlSection::fail(const std::string& key, const std::string& problem) const {
  const toml::node* node = table_.get(key);
  const auto line = (node ? node->source() : table_.source()).begin.line;
  const std::string where = line > 0 ? file_ + ":" + std::to_string(line) : file_;
  const std::string separator = name_.empty() || key.empty() ? "" : ".";
  throw InputError(where + ": " + name_ + separator + key + ": " + problem);
}

void TomlSection::allow_only(const std::vector<std::string_view>& known,
                             const std::string& owner) const {
  for (const auto& [key, node] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::string of = owner.empty() ? "" : " of " + owner;
    fail(std::string(key.str()), "unknown key" + of + "; " + advice(key.str(), known));
  }
}

std::string TomlSection::text(const std::string& key) const {
  require(key);
  const auto value = table_.get(key)->value_exact<std::string>();
  if (!value || value->empty()) fail(key, "is not a text; write it in quotes");
  return *value;
}

double TomlSection::number(const std::string& key) const {
  require(key);
  const toml::node* node = table_.get(key);
  if (!node->is_number()) fail(key, "is not a number; write one without quotes");
  const double value = *node->value<double>();
  if (!std::isfinite(value)) fail(key, "is not finite; write a finite number");
  return value;
}

double TomlSection::positive(const std::string& key) const {
  const double value = number(key);
  if (value <= 0) fail(key, "is " + in_words(value) + "; it must be positive");
  return value;
}

double TomlSection::between(const std::string& key, double least, double most) const {
  const double value = number(key);
  if (value < least || value > most) {
    fail(key, "is " + in_words(value) + "; it must be from " + in_words(least) + " to " +
                  in_words(most));
  }
  return value;
}

std::array<double, 3> TomlSection::vector(const std::string& key) const {
  require(key);
  const toml::array* const list = table_.get(key)->as_array();
  const auto good = [](const toml::node& node) {
    return node.is_number() && std::isfinite(*node.value<double>());
  };
  if (list == nullptr || list->size() != 3 || !std::ranges::all_of(*list, good)) {
    fail(key, "is not a list of three finite numbers; write " + key + " = [X, Y, Z]");
  }
  std::array<double, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) result[axis] = *(*list)[axis].value<double>();
  return result;
}

std::int64_t TomlSection::integer(const std::string& key, std::int64_t least,
                                  std::int64_t most) const {
  require(key);
  const auto value = table_.get(key)->value_exact<std::int64_t>();
  if (!value || *value < least || *value > most) {
    fail(key, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most) +
                  "; correct it");
  }
  return *value;
}

void TomlSection::require(const std::string& key) const {
  if (!has(key)) fail(key, "is missing; add it");
}

std::string in_words(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace gothic::io
