#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/units.hpp"

/// Numbers as people write them: 0.5, 1e5, 2^-9, 50pc, 100 Myr.
namespace gothic::files {

/// What a number measures.
enum class Dimension { none, length, mass, time, velocity, density };

/// A number with the unit that was written behind it.
struct Quantity {
  double number = 0;
  Dimension dimension = Dimension::none;
  double unit_in_cgs = 0;  ///< 0 if no unit was written: the number is in the units around it

  /// The number in `units`; nothing if these are model units and the quantity has a unit.
  std::optional<double> in(const Units& units) const;
};

/// Reads a number, such as 0.5, 1e-3, 2^-9 or inf; nothing if the text is no number.
std::optional<double> read_number(const std::string& text);

/// The number as an integer; nothing if it is none, or beyond 2^53, where a double cannot be every
/// integer.
std::optional<std::int64_t> whole(double number);

/// Reads a whole number, such as 100000, 1e5 or 2^20; nothing if the text is none, or is too large.
std::optional<std::int64_t> read_integer(const std::string& text);

/// Reads a number with or without a unit of the dimension; nothing if the text is neither.
std::optional<Quantity> read_quantity(const std::string& text, Dimension dimension);

/// The units of a dimension, such as "pc, kpc, Mpc".
std::string known_units(Dimension dimension);

}  // namespace gothic::files
