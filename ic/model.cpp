#include "ic/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "files/error.hpp"
#include "files/spelling.hpp"
#include "files/text_file.hpp"
#include "files/toml_section.hpp"
#include "files/toml_text.hpp"
#include "ic/density_table.hpp"
#include "ic/shape.hpp"

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

/// What numbers may be, so that none of what follows from them leaves double precision and drawn
/// particles hardly ever single precision.
constexpr double shortest_length = 1e-9, longest_length = 1e9;
constexpr double least_mass = 1e-30, largest_mass = 1e30;
constexpr double slowest = 1e-18, fastest = 1e18;
constexpr double least_gravity = 1e-30, largest_gravity = 1e30;
constexpr double coldest = 1e-9, hottest = 1e9;  // by Toomre's Q
constexpr double steepest = 100;                 // of what tables of radii can follow

double positive_between(const files::TomlSection& section, const std::string& key, double least,
                        double most) {
  section.positive(key);
  return section.between(key, least, most);
}

double length(const files::TomlSection& section, const std::string& key) {
  return positive_between(section, key, shortest_length, longest_length);
}

/// A length if the key is there, otherwise `otherwise`.
double length_or(const files::TomlSection& section, const std::string& key, double otherwise) {
  return section.has(key) ? length(section, key) : otherwise;
}

/// The keys that a component of this kind may have.
std::vector<std::string_view> keys_of(ProfileKind profile) {
  if (profile == ProfileKind::black_hole) return {"name", "profile", "mass", "softening", "type"};
  std::vector<std::string_view> keys{"name",         "profile", "mass",      "scale", "cutoff",
                                     "cutoff_width", "type",    "softening", "share"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    keys.insert(keys.end(), more);
  };
  if (profile < ProfileKind::exponential_disc) {
    add({"anisotropy_radius"});
  } else {
    add({"height", "toomre_q", "toomre_q_radius", "sigma_r", "retrograde"});
  }
  if (profile == ProfileKind::king) {
    std::erase_if(keys, [](std::string_view key) { return key.starts_with("cutoff"); });
    add({"w0"});
  }
  if (profile == ProfileKind::einasto) add({"alpha"});
  if (profile == ProfileKind::double_power) add({"alpha", "beta", "gamma"});
  if (profile == ProfileKind::sersic || profile == ProfileKind::sersic_disc) add({"n"});
  if (profile == ProfileKind::table || profile == ProfileKind::table_disc) add({"table"});
  return keys;
}

ProfileKind read_profile(const files::TomlSection& section) {
  const std::string wanted = section.text("profile");
  std::vector<std::string_view> known;
  for (const auto& [name, kind] : profiles) {
    if (name == wanted) return kind;
    known.push_back(name);
  }
  section.fail("profile", "unknown profile '" + wanted + "'; " + files::advice(wanted, known));
}

/// What the profile's own keys say.
void read_shape(const files::TomlSection& section, const std::filesystem::path& folder,
                Component& component) {
  switch (component.profile) {
    case ProfileKind::king:
      component.w0 = section.between("w0", 0.1, 16);
      break;
    case ProfileKind::einasto:
      component.alpha = section.between("alpha", 0.05, 10);
      break;
    case ProfileKind::double_power:
      component.alpha = section.between("alpha", 0.1, 100);
      component.gamma = section.number("gamma");
      component.beta = section.number("beta");
      break;
    case ProfileKind::sersic:
    case ProfileKind::sersic_disc:
      component.n = section.between("n", 0.5, 10);
      break;
    case ProfileKind::table:
    case ProfileKind::table_disc:
      component.table = read_density_table(folder / section.text("table"));
      break;
    default:
      break;
  }
}

/// The slopes -d ln rho / d ln r at the centre and far out.
struct Slopes {
  double inner = 0, outer = 5;
};

Slopes slopes_of(const Component& component) {
  switch (component.profile) {
    case ProfileKind::nfw:
      return {1, 3};
    case ProfileKind::burkert:
      return {0, 3};
    case ProfileKind::moore:
      return {1.5, 3};
    case ProfileKind::hernquist:
      return {1, 4};
    case ProfileKind::double_power:
      return {component.gamma, component.beta};
    case ProfileKind::table: {
      const auto shape = make_shape(component);
      const auto slope = [&](double x) {
        const Jet g = shape->jet(x);
        return -g.first * x / g.value;
      };
      return {slope(component.table.front()[0]), slope(component.table.back()[0])};
    }
    default:
      return {};
  }
}

/// Refuses densities of infinite energy, and those that reach too far out without a cutoff: their
/// mass (slope 3) or their mean radius, and with it the scatter of the centre of mass of any number
/// of particles (slope 4), is infinite.
void check_slopes(const files::TomlSection& section, const Component& component) {
  constexpr double steepest_cusp = 2.5, shallowest_end = 4;
  const auto [inner, outer] = slopes_of(component);
  const std::string key = component.profile == ProfileKind::table ? "table" : "gamma";
  if (inner >= steepest_cusp) {
    section.fail(key, "the density goes as r^-" + files::in_words(inner) +
                          " at the centre, with infinite energy; the slope must be below " +
                          files::in_words(steepest_cusp));
  }
  if (component.profile == ProfileKind::double_power) {
    if (inner < 0) section.fail(key, "is " + files::in_words(inner) + "; it must not be negative");
    if (outer <= inner)
      section.fail("beta", "is " + files::in_words(outer) + "; it must exceed gamma");
    if (outer > steepest) {
      section.fail("beta", "is " + files::in_words(outer) + "; it must not exceed " +
                               files::in_words(steepest));
    }
  }
  if (outer <= shallowest_end && component.cutoff == 0) {
    section.fail(
        "cutoff",
        "is missing; the profile reaches too far out without, add cutoff and cutoff_width");
  }
}

void read_cutoff(const files::TomlSection& section, Component& component) {
  if (!section.has("cutoff") && !section.has("cutoff_width")) return;
  component.cutoff = length(section, "cutoff");
  component.cutoff_width = length(section, "cutoff_width");
  constexpr double narrowest = 0.01;  // less would fall between the radii of the tables
  if (component.cutoff_width < narrowest * component.cutoff) {
    section.fail("cutoff_width", "is " + files::in_words(component.cutoff_width) +
                                     ", less than a hundredth of the cutoff; make it wider");
  }
  const double inside =
      component.scale * (component.table.empty() ? 1 : component.table.front()[0]);
  if (component.cutoff >= inside) return;
  section.fail("cutoff", "is " + files::in_words(component.cutoff) +
                             (component.table.empty() ? ", inside the scale length "
                                                      : ", inside the first radius of the table ") +
                             files::in_words(inside) + "; make it larger");
}

Disc read_disc(const files::TomlSection& section, const Component& component) {
  Disc disc;
  disc.height = length(section, "height");
  if (section.has("toomre_q") && section.has("sigma_r")) {
    section.fail("sigma_r", "is given beside toomre_q; leave out one of them");
  }
  if (section.has("sigma_r")) {
    disc.sigma_r = positive_between(section, "sigma_r", slowest, fastest);
    if (section.has("toomre_q_radius")) {
      section.fail("toomre_q_radius", "is given without toomre_q; leave it out");
    }
  } else {
    if (!section.has("toomre_q")) section.fail("toomre_q", "is missing; add it or sigma_r");
    disc.toomre_q = positive_between(section, "toomre_q", coldest, hottest);
    disc.toomre_q_radius = component.table.empty()
                               ? length_or(section, "toomre_q_radius", component.scale)
                               : length(section, "toomre_q_radius");
  }
  if (section.has("retrograde")) disc.retrograde = section.between("retrograde", 0, 1);
  return disc;
}

double read_scale(const files::TomlSection& section, const Component& component) {
  return component.table.empty() ? length(section, "scale") : length_or(section, "scale", 1);
}

std::uint8_t read_type(const files::TomlSection& section, const Component& component) {
  constexpr std::uint8_t dark_matter = 1, stars = 4, black_holes = 5;
  if (section.has("type")) return static_cast<std::uint8_t>(section.integer("type", 0, 5));
  if (component.is_black_hole()) return black_holes;
  return component.is_disc() ? stars : dark_matter;
}

Component read_component(const files::TomlSection& section, const std::filesystem::path& folder,
                         double softening) {
  Component component;
  component.name = section.text("name");
  component.profile = read_profile(section);
  section.allow_only(keys_of(component.profile), name_of(component.profile));
  component.mass = positive_between(section, "mass", least_mass, largest_mass);
  component.softening = length_or(section, "softening", 0);
  component.type = read_type(section, component);
  if (component.is_black_hole()) {
    if (component.softening == 0 && softening == 0) {
      section.fail("softening", "is missing; add it here or at the top of the file");
    }
    return component;
  }
  read_shape(section, folder, component);
  component.scale = read_scale(section, component);
  read_cutoff(section, component);
  component.anisotropy_radius = length_or(section, "anisotropy_radius", 0);
  if (component.is_disc()) {
    component.disc = read_disc(section, component);
  } else {
    check_slopes(section, component);
  }
  if (section.has("share")) {
    component.share = section.number("share");
    if (component.share <= 0 || component.share >= 1) {
      section.fail("share",
                   "is " + files::in_words(component.share) + "; it must be between 0 and 1");
    }
  }
  return component;
}

/// Refuses shares that cannot be had: `section` is that of the last component.
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

std::vector<Component> read_components(const std::string& file, const files::TomlSection& root,
                                       const toml::table& table) {
  const toml::array* list = table["component"].as_array();
  if (!list || list->empty() || !list->is_homogeneous<toml::table>()) {
    root.fail("component", "the model has none; add a table [[component]] for each");
  }
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  const double softening = length_or(root, "softening", 0);
  std::vector<Component> components;
  for (const toml::node& node : *list) {
    const files::TomlSection section(file, "component", *node.as_table());
    Component component = read_component(section, folder, softening);
    const auto same_name = [&](const Component& other) { return other.name == component.name; };
    if (std::any_of(components.begin(), components.end(), same_name)) {
      section.fail("name", "'" + component.name + "' is used twice; give every component its own");
    }
    components.push_back(std::move(component));
  }
  check_shares(files::TomlSection(file, "component", *list->back().as_table()), components);
  return components;
}

files::Units read_units(const std::string& file, const files::TomlSection& root,
                        const toml::table& table) {
  if (!root.has("units")) return {};
  const toml::table* units = table["units"].as_table();
  if (!units) root.fail("units", "is not a table; write [units]");
  const files::TomlSection section(file, "units", *units);
  section.allow_only({"length_in_cm", "mass_in_g", "velocity_in_cm_per_s"});
  const files::Units found{.length_in_cm = section.positive("length_in_cm"),
                           .mass_in_g = section.positive("mass_in_g"),
                           .velocity_in_cm_per_s = section.positive("velocity_in_cm_per_s")};
  const double gravity = found.gravitational_constant();
  if (gravity < least_gravity || gravity > largest_gravity) {
    section.fail("mass_in_g", "the units make the gravitational constant " +
                                  files::in_words(gravity) + "; choose units of one system");
  }
  return found;
}

/// The rows of a table as comments.
std::string table_comment(const Component& component) {
  std::ostringstream out;
  out << std::setprecision(std::numeric_limits<double>::max_digits10) << "\n# Table of component '"
      << component.name << "':\n";
  for (const auto& [radius, density] : component.table) {
    out << "# " << radius << ' ' << density << '\n';
  }
  return out.str();
}

}  // namespace

Model read_model(const std::filesystem::path& path) {
  const std::string file = path.string();
  Model model;
  model.text = files::read_text(path, "model");
  const toml::table table = files::parse_toml(file, model.text);
  const files::TomlSection root(file, "", table);
  root.allow_only({"softening", "units", "component"});
  model.softening = length_or(root, "softening", 0);
  model.units = read_units(file, root, table);
  model.components = read_components(file, root, table);
  for (const Component& component : model.components) {
    if (!component.table.empty()) model.text += table_comment(component);
  }
  return model;
}

std::string name_of(ProfileKind profile) {
  const auto same = [&](const auto& entry) { return entry.second == profile; };
  return std::string(std::find_if(profiles.begin(), profiles.end(), same)->first);
}

}  // namespace gothic::ic
