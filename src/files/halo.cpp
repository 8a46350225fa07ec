#include "files/halo.hpp"

#include <cmath>

namespace gothic::files {
namespace {

constexpr double kilometres_per_megaparsec = kiloparsec / 100;

}  // namespace

Halo read_halo(const TomlSection& section) {
  const Units& units = section.units();
  if (units == Units{}) {
    section.fail("m200", "needs physical units; add [units], or give another mass and the scale");
  }
  constexpr double least_concentration = 1, most_concentration = 1000;
  constexpr double least_h0 = 1, most_h0 = 1000, usual_h0 = 70;
  if (section.has("scale")) {
    section.fail("scale",
                 "is given beside m200, whose scale is r200 / concentration; leave it out");
  }
  Halo halo;
  halo.m200 = section.positive("m200", Dimension::mass);
  halo.concentration = section.between("concentration", least_concentration, most_concentration);
  const double h0 = section.has("h0") ? section.between("h0", least_h0, most_h0) : usual_h0;
  const double h0_per_time = h0 / kilometres_per_megaparsec * units.time_in_s();
  halo.r200 =
      std::cbrt(units.gravitational_constant() * halo.m200 / (100 * h0_per_time * h0_per_time));
  return halo;
}

std::string mass_key(const TomlSection& section, const std::vector<std::string_view>& ways) {
  std::string found = section.only_key(ways);
  for (const char* key : {"concentration", "h0"}) {
    if (section.has(key) && found != "m200") {
      section.fail(key, "is given without m200; leave it out");
    }
  }
  return found;
}

}  // namespace gothic::files
