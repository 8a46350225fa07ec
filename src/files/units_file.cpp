#include "files/units_file.hpp"

#include <cmath>
#include <sstream>

#include "files/error.hpp"
#include "files/input_file.hpp"
#include "files/text.hpp"

namespace gothic::files {
namespace {

/// The first line of a file of units of `path` that may be replaced.
std::string first_line(const std::filesystem::path& path) {
  return "# Units of the TIPSY file " + path.filename().string() +
         ", in which G = 1, and its origin.";
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::map<std::string, std::string> read_keys(const std::string& text) {
  std::istringstream in(text);
  std::map<std::string, std::string> keys;
  for (std::string line; std::getline(in, line);) {
    const std::string words = trimmed(line.substr(0, line.find_first_of("#%")));
    const std::size_t equals = words.find('=');
    const std::size_t end = equals == std::string::npos ? words.find_first_of(" \t") : equals;
    if (end != std::string::npos)
      keys[trimmed(words.substr(0, end))] = trimmed(words.substr(end + 1));
  }
  return keys;
}

/// The only file in the folder that may hold units; empty if there is none.
std::filesystem::path only_param_file(const std::filesystem::path& path) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(absolute(path).parent_path())) {
    if (entry.path().extension() != ".param") continue;
    if (!found.empty()) {
      throw InputError(path.string() +
                       ": units: several files in its folder end in .param; call the right one " +
                       units_path(path).filename().string());
    }
    found = entry.path();
  }
  return found;
}

void write_comment(std::ostream& out, const std::string& name, const std::string& value) {
  out << "# " << name << ": ";
  for (const char letter : value) out << letter << (letter == '\n' ? "#   " : "");
  out << '\n';
}

bool equal(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

}  // namespace

std::filesystem::path units_path(const std::filesystem::path& path) {
  return std::filesystem::path(path).replace_extension(".param");
}

Parameters Parameters::beside(const std::filesystem::path& path) {
  std::filesystem::path file = units_path(path);
  if (!std::filesystem::exists(file)) file = only_param_file(path);
  return file.empty() ? Parameters() : in(read_text(file, "units"), file);
}

Parameters Parameters::in(const std::string& text, const std::filesystem::path& file) {
  Parameters parameters;
  parameters.file_ = file;
  parameters.values_ = read_keys(text);
  return parameters;
}

std::string Parameters::note(const std::filesystem::path& path) const {
  if (file_.empty() || file_.filename() == units_path(path).filename()) return {};
  return "has the units of " + file_.filename().string() + ", the only .param of its folder";
}

void Parameters::fail(const std::string& problem) const {
  throw InputError(file_.string() + ": " + problem);
}

std::optional<double> Parameters::number(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  std::istringstream in(found->second);
  double value = 0;
  if (!(in >> value) || !in.eof()) fail(key + ": " + found->second + " is no number; correct it");
  return value;
}

double Parameters::positive_number(const std::string& key, const std::string& other) const {
  const auto found = values_.find(key);
  if (found == values_.end()) fail(key + ": is missing beside " + other + "; add it");
  std::istringstream in(found->second);
  double value = 0;
  if (!(in >> value) || !in.eof() || !(std::isfinite(value) && value > 0)) {
    fail(key + ": " + found->second + " is not a positive number; correct it");
  }
  return value;
}

std::optional<Units> Parameters::units() const {
  const std::string length = "UnitLength_in_cm", mass = "UnitMass_in_g",
                    velocity = "UnitVelocity_in_cm_per_s";
  const std::string kpc = "dKpcUnit", msun = "dMsolUnit";
  for (const std::string& given : {length, mass, velocity}) {
    if (!values_.contains(given)) continue;
    return Units{.length_in_cm = positive_number(length, given),
                 .mass_in_g = positive_number(mass, given),
                 .velocity_in_cm_per_s = positive_number(velocity, given)};
  }
  for (const std::string& given : {kpc, msun}) {
    if (!values_.contains(given)) continue;
    return Units{.length_in_cm = kiloparsec * positive_number(kpc, given),
                 .mass_in_g = solar_mass * positive_number(msun, given),
                 .velocity_in_cm_per_s = 1e5};
  }
  return {};
}

std::string units_text(const std::filesystem::path& path, const Units& units,
                       const Provenance& provenance) {
  std::ostringstream text;
  text << first_line(path) << '\n';
  if (units == Units{}) {
    text << "# It has model units.\n";
  } else {
    text << "dKpcUnit = " << shortest(units.length_in_cm / kiloparsec) << '\n'
         << "dMsolUnit = " << shortest(units.mass_in_g / solar_mass) << '\n';
  }
  for (const auto& [name, value] : entries(provenance)) write_comment(text, name, value);
  for (const auto& [name, value] : provenance.options) write_comment(text, name, value);
  return text.str();
}

bool needs_units_file(const std::filesystem::path& path, const Units& units) {
  const std::filesystem::path file = units_path(path);
  if (!std::filesystem::exists(file)) return true;
  const std::string text = read_text(file, "units");
  if (text.starts_with(first_line(path) + '\n')) return true;
  const Units found = Parameters::in(text, file).units().value_or(Units());
  if (equal(found.length_in_cm, units.length_in_cm) && equal(found.mass_in_g, units.mass_in_g)) {
    return false;
  }
  throw InputError(file.string() +
                   ": units: the file belongs to another one and tells other units than " +
                   path.filename().string() + " will have; choose another name for the output");
}

}  // namespace gothic::files
