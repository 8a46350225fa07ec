#include "files/quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace gothic::files {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  double in_cgs;
};

constexpr double year = 1e-9 * gigayear, parsec = 1e-3 * kiloparsec;
constexpr double cube(double x) { return x * x * x; }

constexpr Unit all_units[] = {{"cm", Dimension::length, 1},
                              {"km", Dimension::length, 1e5},
                              {"au", Dimension::length, 1.495978707e13},
                              {"pc", Dimension::length, parsec},
                              {"kpc", Dimension::length, kiloparsec},
                              {"Mpc", Dimension::length, 1e3 * kiloparsec},
                              {"g", Dimension::mass, 1},
                              {"Msun", Dimension::mass, solar_mass},
                              {"s", Dimension::time, 1},
                              {"yr", Dimension::time, year},
                              {"kyr", Dimension::time, 1e3 * year},
                              {"Myr", Dimension::time, 1e6 * year},
                              {"Gyr", Dimension::time, gigayear},
                              {"cm/s", Dimension::velocity, 1},
                              {"km/s", Dimension::velocity, 1e5},
                              {"g/cm^3", Dimension::density, 1},
                              {"Msun/pc^3", Dimension::density, solar_mass / cube(parsec)},
                              {"Msun/kpc^3", Dimension::density, solar_mass / cube(kiloparsec)}};

/// The number at the beginning of a text, and the text after it.
struct Leading {
  double number;
  std::string_view rest;
};

std::optional<Leading> read_plain(const char* text) {
  if (std::isspace(static_cast<unsigned char>(*text)) != 0) return {};
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  if (end == text) return {};
  return Leading{number, end};
}

std::optional<Leading> read_leading(const std::string& text) {
  const auto base = read_plain(text.c_str());
  if (!base || !base->rest.starts_with('^')) return base;
  const auto exponent = read_plain(base->rest.data() + 1);
  if (!exponent) return {};
  return Leading{std::pow(base->number, exponent->number), exponent->rest};
}

}  // namespace

std::optional<double> Quantity::in(const Units& units) const {
  if (unit_in_cgs == 0) return number;
  if (units == Units{}) return {};
  switch (dimension) {
    case Dimension::length:
      return number * unit_in_cgs / units.length_in_cm;
    case Dimension::mass:
      return number * unit_in_cgs / units.mass_in_g;
    case Dimension::time:
      return number * unit_in_cgs / units.time_in_s();
    case Dimension::density:
      return number * unit_in_cgs * cube(units.length_in_cm) / units.mass_in_g;
    default:
      return number * unit_in_cgs / units.velocity_in_cm_per_s;
  }
}

std::optional<double> read_number(const std::string& text) {
  const auto leading = read_leading(text);
  if (!leading || !leading->rest.empty()) return {};
  return leading->number;
}

std::optional<std::int64_t> whole(double number) {
  constexpr double most = 9007199254740992;  // 2^53
  if (std::floor(number) != number || std::abs(number) > most) return {};
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> read_integer(const std::string& text) {
  const auto number = read_number(text);
  return number ? whole(*number) : std::nullopt;
}

std::optional<Quantity> read_quantity(const std::string& text, Dimension dimension) {
  const auto leading = read_leading(text);
  if (!leading) return {};
  std::string_view unit = leading->rest;
  if (unit.empty()) return Quantity{leading->number, dimension, 0};
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const Unit* const found = std::ranges::find_if(
      all_units, [&](const Unit& one) { return one.name == unit && one.dimension == dimension; });
  if (found == std::end(all_units)) return {};
  return Quantity{leading->number, dimension, found->in_cgs};
}

std::string known_units(Dimension dimension) {
  std::vector<std::string_view> names;
  for (const Unit& unit : all_units) {
    if (unit.dimension == dimension) names.push_back(unit.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace gothic::files
