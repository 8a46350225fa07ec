#include "settings/checked_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/device/host_pieces.hpp"
#include "files/error.hpp"
#include "files/text.hpp"

namespace gothic {
namespace {

constexpr double longest = longest_position, fastest = 1e18, lightest = 1e-30, most = 1e37;

double largest(const std::vector<files::Vec3>& vectors) {
  const auto largest_of = [&](std::size_t first, std::size_t last) {
    float result = 0;
    for (std::size_t i = first; i < last; ++i) {
      for (const float x : vectors[i]) result = std::max(result, std::abs(x));
    }
    return result;
  };
  return combined_over_pieces(vectors.size(), 0.0F, largest_of,
                              [](float a, float b) { return std::max(a, b); });
}

void require(bool in_range, const std::string& field, const std::string& what) {
  if (in_range) return;
  throw InputError(field + ": " + what +
                   ", out of the range of single precision; choose other units or remove outliers");
}

/// Throws InputError unless squares of the number, which is 0 or positive, are single-precision
/// numbers.
void require_single(const std::string& name, double number) {
  constexpr double least = 1e-18, most = 1e18;
  if (number == 0 || (number >= least && number <= most)) return;
  throw InputError("external potential: " + name + ": " + files::shortest(number) +
                   " is out of the range of single precision; choose other units or give " +
                   files::shortest(least) + " to " + files::shortest(most));
}

/// Throws InputError where either the field or the particles have model units, and the other has
/// not.
void require_units_of_a_kind(const files::FieldFile& file, const files::Units& units) {
  const bool has_units = file.units && *file.units != files::Units{};
  if (has_units == (units != files::Units{})) return;
  if (has_units) {
    throw InputError(file.file +
                     ": has units, but the particles have model units, where G = 1; "
                     "give the particles units, or take them out of the file");
  }
  throw InputError(file.file +
                   ": names no units, but the particles have some; add [units] with "
                   "length_in_cm, mass_in_g and velocity_in_cm_per_s, for kpc, 1e10 "
                   "solar masses and km/s 3.085678e21, 1.989e43 and 1e5");
}

/// The potential in the units of the particles.
files::FieldPotential converted(files::FieldPotential potential, const files::Units& from,
                                const files::Units& to) {
  const double length = from.length_in_cm / to.length_in_cm;
  potential.mass *= from.mass_in_g / to.mass_in_g;
  potential.speed *= from.velocity_in_cm_per_s / to.velocity_in_cm_per_s;
  potential.scale *= length;
  potential.height *= length;
  for (double& axis : potential.center) axis *= length;
  return potential;
}

ExternalPotential potential(const files::FieldPotential& from, double gravity) {
  require_single("scale", from.scale);
  require_single("height", from.height);
  require_single("speed", from.speed);
  require_single("flattening", from.flattening);
  for (const double axis : from.center) require_single("center", std::abs(axis));
  const bool is_logarithmic = from.type == ExternalPotential::Kind::logarithmic;
  ExternalPotential to{.kind = from.type,
                       .strength = is_logarithmic ? from.speed * from.speed : gravity * from.mass,
                       .scale = from.scale,
                       .shape = is_logarithmic ? from.flattening : from.height};
  std::ranges::copy(from.center, to.center);
  if (from.mass > 0) require_single("sqrt(G mass)", std::sqrt(to.strength));
  return to;
}

}  // namespace

void require_in_range(const files::Snapshot& snapshot, double softening, const std::string& file,
                      Communicator& ranks) {
  const auto larger = [](double a, double b) { return std::max(a, b); };
  const double length = combined(ranks, largest(snapshot.particles.position), larger);
  const double speed = combined(ranks, largest(snapshot.particles.velocity), larger);
  const double mass = combined(ranks, files::total_mass(snapshot.particles), std::plus<>());
  require(
      length <= longest, file + ": Coordinates",
      "one is " + files::shortest(length) + ", and at most " + files::shortest(longest) + " works");
  require(
      speed <= fastest, file + ": Velocities",
      "one is " + files::shortest(speed) + ", and at most " + files::shortest(fastest) + " works");
  const double gravity = snapshot.units.gravitational_constant();
  const double strongest =
      mass *
      std::max({std::pow(softening, -3), gravity / (softening * softening), length * length, 1.0});
  require((mass == 0 || mass >= lightest) && strongest <= most, file + ": Masses",
          "their sum is " + files::shortest(mass) + " with a softening of " +
              files::shortest(softening));
}

ExternalField external_field(const files::FieldFile& file, const files::Units& units) {
  require_units_of_a_kind(file, units);
  const files::Units own = file.units.value_or(units);
  ExternalField field;
  for (const files::FieldPotential& one : file.potentials) {
    field.potentials[field.count++] =
        potential(converted(one, own, units), units.gravitational_constant());
  }
  return field;
}

}  // namespace gothic
