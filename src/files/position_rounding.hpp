#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gothic::files {

/// The nearest number in single precision; infinity beyond its range.
float to_single(double value);

/// Whether single precision holds positions that are given in double precision.
///
/// Positions are rounded to a relative 6e-8. Far from the origin this moves the particles of a
/// small system at random, and many come to one place.
class PositionRounding {
 public:
  /// The largest distance by which rounding may move particles, as a fraction of their distance
  /// from their mean position, both as root mean squares. A Plummer sphere of 4096 particles
  /// with a softening of 0.03 scale lengths, moved by 9e-4, loses 3 % of its energy in 10 units of
  /// time; moved by 3e-3 it falls apart.
  static constexpr double most = 1e-3;

  /// Counts positions, which are finite or will be refused for another reason.
  void add(std::span<const std::array<double, 3>> positions);

  /// Why single precision cannot hold these positions, and the remedy; nothing if it can.
  std::optional<std::string> problem() const;

 private:
  double count_ = 0;
  std::array<double, 3> mean_{};
  double squared_extents_ = 0;  ///< sum of the squared distances from the mean
  double squared_errors_ = 0;   ///< sum of the squared distances by which rounding moves particles
};

}  // namespace gothic::files
