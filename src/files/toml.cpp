#include "files/toml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "files/error.hpp"
#include "files/input_file.hpp"
#include "files/text.hpp"

namespace gothic::files {

toml::table parse_toml(const std::string& file, const std::string& text) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: not valid TOML: {}; correct the line", file,
                                 error.source().begin.line, error.description()));
  }
}

void TomlSection::fail(const std::string& key, const std::string& problem) const {
  const toml::node* node = table_.get(key);
  const auto line = (node ? node->source() : table_.source()).begin.line;
  const std::string where = line > 0 ? fmt::format("{}:{}", file_, line) : file_;
  const char* const separator = name_.empty() || key.empty() ? "" : ".";
  throw InputError(fmt::format("{}: {}{}{}: {}", where, name_, separator, key, problem));
}

void TomlSection::allow_only(const std::vector<std::string_view>& known,
                             const std::string& owner) const {
  for (const auto& [key, node] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::string of = owner.empty() ? "" : " of " + owner;
    fail(std::string(key.str()), "unknown key" + of + "; " + advice(key.str(), known));
  }
}

std::string TomlSection::only_key(const std::vector<std::string_view>& keys) const {
  std::string found;
  for (const std::string_view one : keys) {
    const std::string key(one);
    if (!has(key)) continue;
    if (!found.empty()) fail(key, "is given beside " + found + "; leave out one of them");
    found = key;
  }
  if (!found.empty()) return found;
  const bool several = keys.size() > 1;
  fail(std::string(keys.front()),
       several ? fmt::format("is missing; add one of: {}", fmt::join(keys, ", "))
               : "is missing; add it");
}

std::string TomlSection::text(const std::string& key) const {
  require(key);
  const auto value = table_.get(key)->value_exact<std::string>();
  if (!value || value->empty()) fail(key, "is not a text; write it in quotes");
  return *value;
}

TomlSection TomlSection::section(const std::string& key) const {
  const toml::table* const inner = table_[key].as_table();
  if (inner == nullptr) fail(key, "is not a table; write [" + key + "]");
  return {file_, key, *inner, units_};
}

std::optional<double> TomlSection::value(const std::string& key, const toml::node& node,
                                         Dimension dimension) const {
  if (node.is_number()) return node.value<double>();
  const auto text = node.value_exact<std::string>();
  const auto quantity = text ? read_quantity(*text, dimension) : std::nullopt;
  if (!quantity) return {};
  const auto found = quantity->in(units_);
  if (!found) fail(key, "has a unit, but the file has model units; add [units]");
  return found;
}

double TomlSection::number(const std::string& key, Dimension dimension) const {
  require(key);
  const auto found = value(key, *table_.get(key), dimension);
  if (!found) {
    const std::string units = known_units(dimension);
    fail(key, "is not a number; write one" +
                  (units.empty() ? "" : ", or in quotes one with a unit: " + units));
  }
  if (!std::isfinite(*found)) fail(key, "is not finite; write a finite number");
  return *found;
}

double TomlSection::positive(const std::string& key, Dimension dimension) const {
  const double value = number(key, dimension);
  if (value <= 0) fail(key, fmt::format("is {:g}; it must be positive", value));
  return value;
}

double TomlSection::between(const std::string& key, double least, double most,
                            Dimension dimension) const {
  const double value = number(key, dimension);
  if (value < least || value > most) {
    fail(key, fmt::format("is {:g}; it must be from {:g} to {:g}", value, least, most));
  }
  return value;
}

std::array<double, 3> TomlSection::vector(const std::string& key, Dimension dimension) const {
  require(key);
  const toml::array* const list = table_.get(key)->as_array();
  std::array<double, 3> result{};
  bool good = list != nullptr && list->size() == 3;
  for (std::size_t axis = 0; good && axis < 3; ++axis) {
    const auto found = value(key, (*list)[axis], dimension);
    good = found && std::isfinite(*found);
    if (good) result[axis] = *found;
  }
  if (good) return result;
  fail(key, "is not a list of three finite numbers; write " + key + " = [X, Y, Z]");
}

std::int64_t TomlSection::integer(const std::string& key, std::int64_t least,
                                  std::int64_t most) const {
  require(key);
  const auto value = table_.get(key)->value_exact<std::int64_t>();
  if (!value || *value < least || *value > most) {
    fail(key, fmt::format("must be an integer from {} to {}; correct it", least, most));
  }
  return *value;
}

void TomlSection::require(const std::string& key) const {
  if (!has(key)) fail(key, "is missing; add it");
}

std::optional<Units> read_units(const TomlSection& root) {
  if (!root.has("units")) return {};
  const TomlSection section = root.section("units");
  section.allow_only({"length_in_cm", "mass_in_g", "velocity_in_cm_per_s"});
  const Units found{.length_in_cm = section.positive("length_in_cm"),
                    .mass_in_g = section.positive("mass_in_g"),
                    .velocity_in_cm_per_s = section.positive("velocity_in_cm_per_s")};
  constexpr double least = 1e-30, most = 1e30;
  const double gravity = found.gravitational_constant();
  if (!(gravity >= least && gravity <= most)) {
    section.fail("mass_in_g", "the units make the gravitational constant " + in_words(gravity) +
                                  "; choose units of one system");
  }
  return found;
}

std::optional<std::string> word_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* real = node.as_floating_point()) return shortest(real->get());
  return {};
}

namespace {

/// The words of a list with commas between them, or the word of a single value; nothing for other
/// nodes.
std::optional<std::string> words_of(const toml::node& node) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) return word_of(node);
  std::string words;
  for (const toml::node& one : *list) {
    const auto word = word_of(one);
    if (!word) return {};
    words.append(words.empty() ? "" : ",").append(*word);
  }
  if (words.empty()) return {};
  return words;
}

}  // namespace

std::vector<ConfigEntry> read_run_config(const std::filesystem::path& path) {
  const std::string file = path.string();
  const toml::table table = parse_toml(file, read_text(path, "config"));
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto word = words_of(node);
    if (!word) {
      TomlSection(file, "", table)
          .fail(name, "is neither a string, a number, true, false nor a list of these; write " +
                          name + " = VALUE");
    }
    entries.push_back({name, *word, int(key.source().begin.line)});
  }
  return entries;
}

std::string in_words(double value) { return fmt::format("{:g}", value); }

}  // namespace gothic::files
