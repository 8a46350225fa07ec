#include "run/external.hpp"

#include <cmath>

#include "files/error.hpp"
#include "files/text.hpp"

namespace gothic {

namespace {

using Type = files::FieldPotential::Type;

/// Throws InputError unless squares of the number, which is 0 or positive, are single-precision
/// numbers.
void require_single(const std::string& name, double number) {
  constexpr double least = 1e-18, most = 1e18;
  if (number == 0 || (number >= least && number <= most)) return;
  throw InputError("--external: " + name + ": " + files::shortest(number) +
                   " is out of the range of single precision; choose other units or give " +
                   files::shortest(least) + " to " + files::shortest(most));
}

ExternalPotential potential(const files::FieldPotential& from, double gravity) {
  using Kind = ExternalPotential::Kind;
  require_single("scale", from.scale);
  for (const double axis : from.center) require_single("center", std::abs(axis));
  ExternalPotential to{.strength = gravity * from.mass, .scale = from.scale};
  for (int axis = 0; axis < 3; ++axis) to.center[axis] = from.center[std::size_t(axis)];
  switch (from.type) {
    case Type::nfw:
      to.kind = Kind::nfw;
      break;
    case Type::hernquist:
      to.kind = Kind::hernquist;
      break;
    case Type::miyamoto_nagai:
      require_single("height", from.height);
      to.kind = Kind::miyamoto_nagai;
      to.shape = from.height;
      break;
    default:
      require_single("speed", from.speed);
      require_single("flattening", from.flattening);
      to.kind = Kind::logarithmic;
      to.strength = from.speed * from.speed;
      to.shape = from.flattening;
  }
  if (from.mass > 0) require_single("sqrt(G mass)", std::sqrt(to.strength));
  return to;
}

}  // namespace

ExternalField external_field(const files::FieldFile& file, double gravity) {
  ExternalField field;
  for (const files::FieldPotential& one : file.potentials) {
    field.potentials[field.count++] = potential(one, gravity);
  }
  return field;
}

}  // namespace gothic
