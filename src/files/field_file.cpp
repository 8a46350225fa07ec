#include "files/field_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "files/input_file.hpp"
#include "files/text.hpp"
#include "files/toml.hpp"

namespace gothic::files {
namespace {

using Type = FieldPotential::Type;

/// A type by its name, and the keys that it takes besides type and center.
struct TypeWord {
  std::string_view name;
  Type type;
  std::vector<std::string_view> keys;
};

const std::vector<TypeWord>& types() {
  static const std::vector<TypeWord> all = {
      {"nfw", Type::nfw, {"mass", "scale"}},
      {"hernquist", Type::hernquist, {"mass", "scale"}},
      {"miyamoto_nagai", Type::miyamoto_nagai, {"mass", "scale", "height"}},
      {"logarithmic", Type::logarithmic, {"speed", "scale", "flattening"}}};
  return all;
}

const TypeWord& read_type(const TomlSection& section) {
  const std::string wanted = section.text("type");
  const auto found = std::ranges::find(types(), wanted, &TypeWord::name);
  if (found != types().end()) return *found;
  std::vector<std::string_view> known;
  for (const TypeWord& word : types()) known.push_back(word.name);
  section.fail("type", "unknown type '" + wanted + "'; " + advice(wanted, known));
}

FieldPotential read_potential(const TomlSection& section) {
  const TypeWord& word = read_type(section);
  std::vector<std::string_view> keys = {"type", "center"};
  keys.insert(keys.end(), word.keys.begin(), word.keys.end());
  section.allow_only(keys, std::string(word.name));
  FieldPotential potential{.type = word.type};
  if (word.type == Type::logarithmic) {
    potential.speed = section.positive("speed");
    potential.flattening = section.positive_or("flattening", 1);
  } else {
    potential.mass = section.positive("mass");
  }
  if (word.type == Type::miyamoto_nagai) {
    potential.scale = section.number("scale");
    if (potential.scale < 0) {
      section.fail("scale", fmt::format("is {:g}; it must not be negative", potential.scale));
    }
    potential.height = section.positive("height");
  } else {
    potential.scale = section.positive("scale");
  }
  if (section.has("center")) potential.center = section.vector("center");
  return potential;
}

}  // namespace

FieldFile read_field_file(const std::filesystem::path& path, std::size_t most) {
  const std::string file = path.string();
  FieldFile result{.text = read_text(path, "potentials"), .potentials = {}};
  const toml::table table = parse_toml(file, result.text);
  const TomlSection root(file, "", table);
  root.allow_only({"potential"});
  const toml::array* const list = table["potential"].as_array();
  if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
    root.fail("potential", "the file names no potential; add a table [[potential]] with its type");
  }
  if (list->size() > most) {
    root.fail("potential", fmt::format("there are {}; give at most {}", list->size(), most));
  }
  for (const toml::node& node : *list) {
    result.potentials.push_back(read_potential(TomlSection(file, "potential", *node.as_table())));
  }
  return result;
}

}  // namespace gothic::files
