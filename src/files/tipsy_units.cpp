#include "files/tipsy_units.hpp"

#include <cmath>
#include <map>
#include <sstream>

#include "files/error.hpp"
#include "files/input_file.hpp"
#include "files/text.hpp"

namespace gothic::files::tipsy {
namespace {

/// The first line of a file of units of `path` that may be replaced.
std::string first_line(const std::filesystem::path& path) {
  return "# Units of the TIPSY file " + path.filename().string() +
         ", in which G = 1, and its origin.";
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw InputError(path.string() + ": " + problem);
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
    const std::string words = line.substr(0, line.find('#'));
    const std::size_t equals = words.find('=');
    if (equals != std::string::npos) {
      keys[trimmed(words.substr(0, equals))] = trimmed(words.substr(equals + 1));
    }
  }
  return keys;
}

double positive_number(const std::filesystem::path& path, const std::string& key,
                       const std::string& text) {
  std::istringstream in(text);
  double value = 0;
  if (!(in >> value) || !in.eof() || !(std::isfinite(value) && value > 0)) {
    fail(path, key + ": " + text + " is not a positive number; correct it");
  }
  return value;
}

/// The units in `text`, which the file `path` holds.
Units units_in(const std::string& text, const std::filesystem::path& path) {
  const std::map<std::string, std::string> keys = read_keys(text);
  const auto comoving = keys.find("bComove");
  if (comoving != keys.end() && comoving->second != "0") {
    fail(path,
         "bComove: comoving coordinates are not known here; convert the file to physical ones");
  }
  const auto length = keys.find("dKpcUnit"), mass = keys.find("dMsolUnit");
  if (length == keys.end() && mass == keys.end()) return {};
  if (length == keys.end()) fail(path, "dKpcUnit: is missing beside dMsolUnit; add it");
  if (mass == keys.end()) fail(path, "dMsolUnit: is missing beside dKpcUnit; add it");
  return {.length_in_cm = kiloparsec * positive_number(path, length->first, length->second),
          .mass_in_g = solar_mass * positive_number(path, mass->first, mass->second),
          .velocity_in_cm_per_s = 1e5};
}

/// The only file in the folder that may hold units; empty if there is none.
std::filesystem::path only_param_file(const std::filesystem::path& path) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(absolute(path).parent_path())) {
    if (entry.path().extension() != ".param") continue;
    if (!found.empty()) {
      fail(path, "units: several files in its folder end in .param; call the right one " +
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

Units read_units(const std::filesystem::path& path) {
  std::filesystem::path file = units_path(path);
  if (!std::filesystem::exists(file)) file = only_param_file(path);
  return file.empty() ? Units{} : units_in(read_text(file, "units"), file);
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
  const Units found = units_in(text, file);
  if (equal(found.length_in_cm, units.length_in_cm) && equal(found.mass_in_g, units.mass_in_g)) {
    return false;
  }
  fail(file, "units: the file belongs to another one and tells other units than " +
                 path.filename().string() + " will have; choose another name for the output");
}

}  // namespace gothic::files::tipsy
