#include "ic/model.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <utility>

#include "io/error.hpp"

namespace gothic::ic {
namespace {

constexpr std::array<std::pair<std::string_view, ProfileKind>, 14> profiles{
    {{"plummer", ProfileKind::plummer},
     {"king", ProfileKind::king},
     {"hernquist", ProfileKind::hernquist},
     {"nfw", ProfileKind::nfw},
     {"burkert", ProfileKind::burkert},
     {"moore", ProfileKind::moore},
     {"einasto", ProfileKind::einasto},
     {"double_power", ProfileKind::double_power},
     {"sersic", ProfileKind::sersic},
     {"table", ProfileKind::table},
     {"black_hole", ProfileKind::black_hole},
     {"exponential_disc", ProfileKind::exponential_disc},
     {"sersic_disc", ProfileKind::sersic_disc},
     {"table_disc", ProfileKind::table_disc}}};

/// A table of the file together with what messages about it need.
class Section {
 public:
  Section(const std::string& file, std::string name, const toml::table& table)
      : file_(file), name_(std::move(name)), table_(table) {}

  [[noreturn]] void fail(const std::string& key, const std::string& problem) const {
    const toml::node* node = table_.get(key);
    const auto line = (node ? node->source() : table_.source()).begin.line;
    const std::string where = line > 0 ? file_ + ":" + std::to_string(line) : file_;
    const std::string separator = name_.empty() || key.empty() ? "" : ".";
    throw InputError(where + ": " + name_ + separator + key + ": " + problem);
  }

  void allow_only(std::initializer_list<std::string_view> known) const {
    std::string list;
    for (const std::string_view key : known) list += (list.empty() ? "" : ", ") + std::string(key);
    for (const auto& [key, node] : table_) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      fail(std::string(key.str()), "unknown key; use one of: " + list);
    }
  }

  bool has(const std::string& key) const { return table_.contains(key); }

  std::string text(const std::string& key) const {
    require(key, "add it");
    const auto value = table_.get(key)->value_exact<std::string>();
    if (!value || value->empty()) fail(key, "is not a text; write it in quotes");
    return *value;
  }

  double number(const std::string& key) const {
    require(key, "add it");
    const toml::node* node = table_.get(key);
    if (!node->is_number()) fail(key, "is not a number; write one without quotes");
    const double value = *node->value<double>();
    if (!std::isfinite(value)) fail(key, "is not finite; write a finite number");
    return value;
  }

  double positive(const std::string& key) const {
    const double value = number(key);
    if (value <= 0) fail(key, "is " + in_words(value) + "; it must be positive");
    return value;
  }

  std::int64_t integer(const std::string& key, std::int64_t least, std::int64_t most) const {
    const auto value = table_.get(key)->value_exact<std::int64_t>();
    if (!value || *value < least || *value > most) {
      fail(key, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most) +
                    "; correct it");
    }
    return *value;
  }

 private:
  void require(const std::string& key, const std::string& remedy) const {
    if (!has(key)) fail(key, "is missing; " + remedy);
  }

  static std::string in_words(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
  }

  const std::string& file_;
  std::string name_;
  const toml::table& table_;
};

std::string read_text(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw InputError(path.string() + ": model: is a folder; give the name of a TOML file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw InputError(path.string() +
                     ": model: there is no such file or it cannot be read; check the name");
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

toml::table parse(const std::string& file, const std::string& text) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw InputError(file + ":" + std::to_string(error.source().begin.line) + ": not valid TOML: " +
                     std::string(error.description()) + "; correct the line");
  }
}

ProfileKind read_profile(const Section& section) {
  const std::string wanted = section.text("profile");
  std::string known;
  for (const auto& [name, kind] : profiles) {
    if (name == wanted) return kind;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  section.fail("profile", "unknown profile '" + wanted + "'; use one of: " + known);
}

Component read_component(const Section& section) {
  section.allow_only({"name", "profile", "mass", "scale", "cutoff", "cutoff_width", "type"});
  Component component;
  component.name = section.text("name");
  component.profile = read_profile(section);
  component.mass = section.positive("mass");
  component.scale = section.positive("scale");
  if (section.has("cutoff") || section.has("cutoff_width")) {
    component.cutoff = section.positive("cutoff");
    component.cutoff_width = section.positive("cutoff_width");
  } else if (component.profile != ProfileKind::plummer) {
    // Without, the mass (nfw) or the mean radius, and with it the scatter of the centre of mass of
    // any number of particles (hernquist), is infinite.
    section.fail(
        "cutoff",
        "is missing; the profile reaches too far out without, add cutoff and cutoff_width");
  }
  if (section.has("type"))
    component.type = static_cast<std::uint8_t>(section.integer("type", 0, 5));
  return component;
}

std::vector<Component> read_components(const std::string& file, const Section& root,
                                       const toml::table& table) {
  const toml::array* list = table["component"].as_array();
  if (!list || list->empty() || !list->is_homogeneous<toml::table>()) {
    root.fail("component", "the model has none; add a table [[component]] for each");
  }
  std::vector<Component> components;
  for (const toml::node& node : *list) {
    const Section section(file, "component", *node.as_table());
    Component component = read_component(section);
    const auto same_name = [&](const Component& other) { return other.name == component.name; };
    if (std::any_of(components.begin(), components.end(), same_name)) {
      section.fail("name", "'" + component.name + "' is used twice; give every component its own");
    }
    components.push_back(std::move(component));
  }
  return components;
}

io::Units read_units(const std::string& file, const Section& root, const toml::table& table) {
  if (!root.has("units")) return {};
  const toml::table* units = table["units"].as_table();
  if (!units) root.fail("units", "is not a table; write [units]");
  const Section section(file, "units", *units);
  section.allow_only({"length_in_cm", "mass_in_g", "velocity_in_cm_per_s"});
  return {.length_in_cm = section.positive("length_in_cm"),
          .mass_in_g = section.positive("mass_in_g"),
          .velocity_in_cm_per_s = section.positive("velocity_in_cm_per_s")};
}

}  // namespace

Model read_model(const std::filesystem::path& path) {
  const std::string file = path.string();
  Model model;
  model.text = read_text(path);
  const toml::table table = parse(file, model.text);
  const Section root(file, "", table);
  root.allow_only({"softening", "units", "component"});
  if (root.has("softening")) model.softening = root.positive("softening");
  model.units = read_units(file, root, table);
  model.components = read_components(file, root, table);
  return model;
}

std::string name_of(ProfileKind profile) {
  const auto same = [&](const auto& entry) { return entry.second == profile; };
  return std::string(std::find_if(profiles.begin(), profiles.end(), same)->first);
}

}  // namespace gothic::ic
