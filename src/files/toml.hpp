#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gothic::files {

/// Parses the text of `file`. Throws InputError "FILE:LINE: ..." if it is not TOML.
toml::table parse_toml(const std::string& file, const std::string& text);

/// A table of a TOML file with its name, for reading and for messages about its keys. Every
/// function throws InputError "FILE:LINE: NAME.KEY: problem; remedy".
class TomlSection {
 public:
  /// Keeps references to `file` and `table`.
  TomlSection(const std::string& file, std::string name, const toml::table& table)
      : file_(file), name_(std::move(name)), table_(table) {}

  /// Throws with the line of the key or, if there is none, of the table.
  [[noreturn]] void fail(const std::string& key, const std::string& problem) const;

  /// Refuses keys other than `known`. `owner` says in messages whose they are, or nothing.
  void allow_only(const std::vector<std::string_view>& known, const std::string& owner = "") const;

  bool has(const std::string& key) const { return table_.contains(key); }

  /// A text that is not empty.
  std::string text(const std::string& key) const;

  /// A finite number, a positive one, one between two bounds (both allowed).
  double number(const std::string& key) const;
  double positive(const std::string& key) const;
  double between(const std::string& key, double least, double most) const;

  /// A positive number if the key is there, otherwise `otherwise`.
  double positive_or(const std::string& key, double otherwise) const {
    return has(key) ? positive(key) : otherwise;
  }

  /// Three finite numbers.
  std::array<double, 3> vector(const std::string& key) const;

  /// An integer between two bounds (both allowed).
  std::int64_t integer(const std::string& key, std::int64_t least, std::int64_t most) const;

 private:
  void require(const std::string& key) const;

  const std::string& file_;
  std::string name_;
  const toml::table& table_;
};

/// A number as messages write it.
std::string in_words(double value);

}  // namespace gothic::files
