#include "files/field_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "files/halo.hpp"
#include "files/input_file.hpp"
#include "files/text.hpp"
#include "files/toml.hpp"

namespace gothic::files {
namespace {

using Type = FieldPotential::Type;

/// A type of potential and the keys that it takes beside type and center.
struct TypeWord {
  std::string_view name;
  Type type;
  std::vector<std::string_view> keys;
};

const std::vector<TypeWord>& types() {
  static const std::vector<TypeWord> all = {
      {"nfw", Type::nfw, {"scale_mass", "scale", "m200", "concentration", "h0"}},
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
  const bool is_nfw = word.type == Type::nfw;
  if (is_nfw && section.has("mass")) {
    section.fail("mass",
                 "an nfw potential has no end and no total mass; give scale_mass (what mass meant "
                 "here before), or m200 and concentration");
  }
  std::vector<std::string_view> keys = {"type", "center"};
  keys.insert(keys.end(), word.keys.begin(), word.keys.end());
  section.allow_only(keys, std::string(word.name));
  FieldPotential potential{.type = word.type};
  if (word.type == Type::logarithmic) {
    potential.speed = section.positive("speed", Dimension::velocity);
    potential.flattening = section.positive_or("flattening", 1);
  } else if (is_nfw && mass_key(section, {"scale_mass", "m200"}) == "m200") {
    const Halo halo = read_halo(section);
    const double c = halo.concentration;  // Navarro, Frenk & White (1996)
    potential.mass = halo.m200 / (std::log1p(c) - c / (1 + c));
    potential.scale = halo.r200 / c;
    return potential;
  } else {
    potential.mass = section.positive(is_nfw ? "scale_mass" : "mass", Dimension::mass);
  }
  if (word.type == Type::miyamoto_nagai) {
    potential.scale = section.number("scale", Dimension::length);
    if (potential.scale < 0) {
      section.fail("scale", fmt::format("is {:g}; it must not be negative", potential.scale));
    }
    potential.height = section.positive("height", Dimension::length);
  } else {
    potential.scale = section.positive("scale", Dimension::length);
  }
  return potential;
}

}  // namespace

FieldFile read_field_file(const std::filesystem::path& path, std::size_t most) {
  const std::string file = path.string();
  FieldFile result{.file = file, .text = read_text(path, "potentials")};
  const toml::table table = parse_toml(file, result.text);
  const TomlSection root(file, "", table);
  root.allow_only({"units", "potential"});
  result.units = read_units(root);
  const toml::array* const list = table["potential"].as_array();
  if (list == nullptr || list->empty() || !list->is_array_of_tables()) {
    root.fail("potential", "the file names no potential; add a table [[potential]] with its type");
  }
  if (list->size() > most) {
    root.fail("potential", fmt::format("there are {}; give at most {}", list->size(), most));
  }
  const Units units = result.units.value_or(Units());
  for (const toml::node& node : *list) {
    const TomlSection section(file, "potential", *node.as_table(), units);
    FieldPotential potential = read_potential(section);
    if (section.has("center")) potential.center = section.vector("center", Dimension::length);
    result.potentials.push_back(potential);
  }
  return result;
}

}  // namespace gothic::files
