#include "ic/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <utility>

#include "files/error.hpp"
#include "files/halo.hpp"
#include "files/input_file.hpp"
#include "files/text.hpp"
#include "files/toml.hpp"

namespace gothic::ic {
namespace {

/// Bounds of the numbers in a model. Within these bounds all results stay in double precision, and
/// particles hardly ever leave single precision.
constexpr double shortest_length = 1e-9, longest_length = 1e9;
constexpr double least_mass = 1e-30, largest_mass = 1e30;
constexpr double slowest = 1e-18, fastest = 1e18;
constexpr double coldest = 1e-9, hottest = 1e9;  // Toomre's Q

double positive_between(const files::TomlSection& section, const std::string& key, double least,
                        double most, files::Dimension dimension = files::Dimension::none) {
  section.positive(key, dimension);
  return section.between(key, least, most, dimension);
}

double length(const files::TomlSection& section, const std::string& key) {
  return positive_between(section, key, shortest_length, longest_length, files::Dimension::length);
}

/// The length that the key gives, or `otherwise` if there is no such key.
double length_or(const files::TomlSection& section, const std::string& key, double otherwise) {
  return section.has(key) ? length(section, key) : otherwise;
}

const Profile& read_profile(const files::TomlSection& section) {
  const std::string wanted = section.text("profile");
  std::vector<std::string_view> known;
  for (const Profile& profile : profiles()) {
    if (profile.name == wanted) return profile;
    known.push_back(profile.name);
  }
  section.fail("profile", "unknown profile '" + wanted + "'; " + files::advice(wanted, known));
}

/// The keys that a component of this profile may have.
std::vector<std::string_view> keys_of(const Profile& profile) {
  std::vector<std::string_view> keys{"name", "profile", "mass"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    keys.insert(keys.end(), more);
  };
  if (profile.kind == Kind::black_hole) {
    add({"softening", "type"});
    return keys;
  }
  add({"scale"});
  if (!profile.has_edge) add({"cutoff", "cutoff_width"});
  add({"type", "softening", "share"});
  if (profile.kind == Kind::sphere) {
    add({"anisotropy_radius"});
  } else {
    add({"height", "sech2_height", "exponential_height", "toomre_q", "toomre_q_radius", "sigma_r",
         "retrograde"});
  }
  keys.insert(keys.end(), profile.keys.begin(), profile.keys.end());
  return keys;
}

/// Refuses densities with infinite energy, and densities without a cutoff that fall too slowly: up
/// to slope 3 the mass is infinite; up to slope 4 the mean radius is, and so is the scatter of the
/// centre of mass of any number of particles.
void check_slopes(const files::TomlSection& section, const Component& component) {
  constexpr double steepest_cusp = 2.5, shallowest_end = 4;
  const auto [inner, outer] = component.shape->slopes();
  if (inner >= steepest_cusp) {
    section.fail("profile", "the density goes as r^-" + files::in_words(inner) +
                                " at the centre, with infinite energy; the slope must be below " +
                                files::in_words(steepest_cusp));
  }
  if (outer <= shallowest_end && component.cutoff == 0) {
    section.fail(
        "cutoff",
        "is missing; the profile reaches too far out without, add cutoff and cutoff_width");
  }
}

/// \param r200 r200 of a halo whose mass is given by m200, the default of its cutoff; 0 for other
///        components
void read_cutoff(const files::TomlSection& section, Component& component, double r200) {
  const bool given = section.has("cutoff") || section.has("cutoff_width");
  if (!given && r200 == 0) return;
  const bool has_default = r200 > 0;
  component.cutoff = has_default ? length_or(section, "cutoff", r200) : length(section, "cutoff");
  component.cutoff_width = has_default ? length_or(section, "cutoff_width", component.cutoff / 10)
                                       : length(section, "cutoff_width");
  constexpr double narrowest = 0.01;  // a narrower cutoff falls between the radii of the tables
  if (component.cutoff_width < narrowest * component.cutoff) {
    section.fail("cutoff_width", "is " + files::in_words(component.cutoff_width) +
                                     ", less than a hundredth of the cutoff; make it wider");
  }
  const bool tabulated = component.is_tabulated();
  const double inside = component.scale * (tabulated ? component.shape->rows().front()[0] : 1);
  if (component.cutoff >= inside) return;
  section.fail("cutoff", "is " + files::in_words(component.cutoff) +
                             (tabulated ? ", inside the first radius of the table "
                                        : ", inside the scale length ") +
                             files::in_words(inside) + "; make it larger");
}

/// Reads z_d, the height where the density has fallen by e. A sheet sech^2(z / z0) has z_d =
/// acosh(sqrt(e)) z0 and half of its stars within atanh(1/2) z0; a density exp(-z / h) has half of
/// its stars within ln(2) h. A height in these forms becomes the z_d of the sheet with the same
/// median abs(z). The stars have this median where the sheet makes its own gravity; where other
/// components do, the density is nearer to a Gaussian and the median is up to 6 % less.
double read_height(const files::TomlSection& section) {
  const double sech2 = std::acosh(std::exp(0.5));
  const double exponential = sech2 * std::numbers::ln2 / std::atanh(0.5);
  const std::string key = section.only_key({"height", "sech2_height", "exponential_height"});
  const double factor = key == "height" ? 1 : key == "sech2_height" ? sech2 : exponential;
  return factor * length(section, key);
}

Disc read_disc(const files::TomlSection& section, const Component& component) {
  Disc disc;
  disc.height = read_height(section);
  if (section.has("toomre_q") && section.has("sigma_r")) {
    section.fail("sigma_r", "is given beside toomre_q; leave out one of them");
  }
  if (section.has("sigma_r")) {
    disc.sigma_r =
        positive_between(section, "sigma_r", slowest, fastest, files::Dimension::velocity);
    if (section.has("toomre_q_radius")) {
      section.fail("toomre_q_radius", "is given without toomre_q; leave it out");
    }
  } else {
    if (!section.has("toomre_q")) section.fail("toomre_q", "is missing; add it or sigma_r");
    disc.toomre_q = positive_between(section, "toomre_q", coldest, hottest);
    disc.toomre_q_radius = component.is_tabulated()
                               ? length(section, "toomre_q_radius")
                               : length_or(section, "toomre_q_radius", component.scale);
  }
  if (section.has("retrograde")) disc.retrograde = section.between("retrograde", 0, 1);
  return disc;
}

std::uint8_t read_type(const files::TomlSection& section, Kind kind) {
  constexpr std::uint8_t dark_matter = 1, stars = 4, black_holes = 5;
  if (section.has("type")) return static_cast<std::uint8_t>(section.integer("type", 0, 5));
  if (kind == Kind::black_hole) return black_holes;
  return kind == Kind::disc ? stars : dark_matter;
}

/// The component's fraction of all particles; 0 if the file gives none.
double read_share(const files::TomlSection& section) {
  if (!section.has("share")) return 0;
  const double share = section.number("share");
  if (share > 0 && share < 1) return share;
  section.fail("share", "is " + files::in_words(share) + "; it must be between 0 and 1");
}

/// Reads m200 and concentration, and sets the scale and the cutoff that follow. Returns rho0.
double read_virial(const files::TomlSection& section, Component& component) {
  const files::Halo halo = files::read_halo(section);
  const double r200 = halo.r200;
  component.scale = r200 / halo.concentration;
  if (component.scale < shortest_length || r200 > longest_length) {
    section.fail("m200", "makes r200 " + files::in_words(r200) + "; choose other units");
  }
  const double rho0 = halo.m200 / component.density_profile().mass(r200);
  read_cutoff(section, component, r200);
  return rho0;
}

/// Reads scale, cutoff and mass; a mass that is given in another way becomes the total mass.
void read_size(const files::TomlSection& section, const std::vector<std::string_view>& own_keys,
               Component& component) {
  std::vector<std::string_view> ways{"mass"};
  for (const std::string_view way : {"scale_mass", "m200"}) {
    if (std::ranges::find(own_keys, way) != own_keys.end()) ways.push_back(way);
  }
  const std::string key = files::mass_key(section, ways);
  double rho0 = 0;
  if (key == "m200") {
    rho0 = read_virial(section, component);
  } else {
    component.scale =
        component.is_tabulated() ? length_or(section, "scale", 1) : length(section, "scale");
    read_cutoff(section, component, 0);
  }
  if (key == "scale_mass") {
    rho0 = section.positive(key, files::Dimension::mass) /
           (4 * std::numbers::pi * std::pow(component.scale, 3));
  }
  if (!component.is_disc()) check_slopes(section, component);
  component.mass = key == "mass" ? section.positive(key, files::Dimension::mass)
                                 : rho0 * component.density_profile().mass();
  if (component.mass < least_mass || component.mass > largest_mass) {
    section.fail(key, fmt::format("the mass is {:g}; it must be from {:g} to {:g}", component.mass,
                                  least_mass, largest_mass));
  }
}

/// `softening` is the model's, 0 if it has none.
Component read_component(const files::TomlSection& section, const std::filesystem::path& folder,
                         double softening) {
  const std::string name = section.text("name");
  if (name.find_first_of(",=") != std::string::npos) {
    section.fail(
        "name",
        "'" + name + "' has a comma or =, which divide lists of components; choose another");
  }
  const Profile& profile = read_profile(section);
  section.allow_only(keys_of(profile), std::string(profile.name));
  Component component{.name = name, .profile = std::string(profile.name), .kind = profile.kind};
  component.softening = length_or(section, "softening", 0);
  component.type = read_type(section, profile.kind);
  component.shape = profile.read(section, folder);
  if (section.has("table")) component.table = folder / section.text("table");
  if (component.is_black_hole()) {
    component.mass =
        positive_between(section, "mass", least_mass, largest_mass, files::Dimension::mass);
    component.scale = component.softening > 0 ? component.softening : softening;
    if (component.scale > 0) return component;
    section.fail("softening", "is missing; add it here or at the top of the file");
  }
  read_size(section, profile.keys, component);
  component.anisotropy_radius = length_or(section, "anisotropy_radius", 0);
  if (component.is_disc()) component.disc = read_disc(section, component);
  component.share = read_share(section);
  return component;
}

/// Refuses shares with an impossible sum. `section` is the last component, for the message.
void check_shares(const files::TomlSection& section, const std::vector<Component>& components) {
  constexpr double rounding = 1e-9;
  double sum = 0;
  bool all = true;
  for (const Component& component : components) {
    sum += component.share;
    all = all && (component.share > 0 || component.is_black_hole());
  }
  if (sum == 0 || (all ? std::abs(sum - 1) < rounding : sum < 1 - rounding)) return;
  section.fail("share", "the shares sum to " + files::in_words(sum) +
                            (all ? "; they must sum to 1, or one component be without"
                                 : "; leave something for the components without"));
}

/// `softening` is the model's, 0 if it has none.
std::vector<Component> read_components(const std::filesystem::path& path,
                                       const files::TomlSection& root, const toml::table& table,
                                       double softening) {
  const toml::array* list = table["component"].as_array();
  if (!list || list->empty() || !list->is_homogeneous<toml::table>()) {
    root.fail("component", "the model has none; add a table [[component]] for each");
  }
  const std::string file = path.string();
  std::vector<Component> components;
  for (const toml::node& node : *list) {
    const files::TomlSection section(file, "component", *node.as_table(), root.units());
    Component component = read_component(section, path.parent_path(), softening);
    const auto same_name = [&](const Component& other) { return other.name == component.name; };
    if (std::any_of(components.begin(), components.end(), same_name)) {
      section.fail("name", "'" + component.name + "' is used twice; give every component its own");
    }
    components.push_back(std::move(component));
  }
  check_shares(files::TomlSection(file, "component", *list->back().as_table()), components);
  return components;
}

/// The rows of a component's table as comments of a TOML file.
std::string table_comment(const Component& component) {
  std::string text = "\n# Table of component '" + component.name + "':\n";
  for (const auto& [radius, density] : component.shape->rows()) {
    text += fmt::format("# {:.17g} {:.17g}\n", radius, density);
  }
  return text;
}

}  // namespace

Model read_model(const std::filesystem::path& path) {
  Model model = parse_model(files::read_text(path, "model"), path);
  if (model.name.empty()) model.name = path.stem().string();
  return model;
}

Model parse_model(const std::string& text, const std::filesystem::path& path) {
  const std::string file = path.string();
  const toml::table table = files::parse_toml(file, text);
  const files::Units units =
      files::read_units(files::TomlSection(file, "", table)).value_or(files::Units());
  const files::TomlSection root(file, "", table, units);
  root.allow_only({"name", "softening", "units", "component"});
  Model model{.units = units,
              .softening = length_or(root, "softening", 0),
              .components = {},
              .file = file,
              .name = root.has("name") ? root.text("name") : "",
              .text = text,
              .digest = {}};
  model.components = read_components(path, root, table, model.softening);
  for (const Component& component : model.components) {
    if (component.is_tabulated()) model.text += table_comment(component);
  }
  model.digest = files::digest(model.text);
  return model;
}

}  // namespace gothic::ic
