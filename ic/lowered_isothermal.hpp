#pragma once

#include <cmath>
#include <numbers>

namespace gothic::ic {

/// Stars in one dimension with the distribution function exp(-E / s^2) - exp(-E_t / s^2) of the
/// energy E = Phi(z) - Phi(0) + v^2 / 2 < E_t: what King (1966) is in three. Where E_t >> s^2 it is
/// the isothermal sheet, exp(-(Phi(z) - Phi(0)) / s^2).
struct LoweredIsothermal {
  double variance = 1;  ///< s^2
  double top = 1;       ///< E_t

  /// Density where the potential has risen by `rise`, up to a factor.
  double density(double rise) const {
    const double y = depth(rise);
    return y > 0 ? std::exp(y - top / variance) * velocity_moment(y) : 0.0;
  }

  /// Mean square velocity there.
  double mean_square_velocity(double rise) const {
    const double y = depth(rise);
    if (y < 1e-4) return y > 0 ? variance * y * 2 / 5 : 0.0;
    const double fall = std::sqrt(y) * std::exp(-y);
    const double second =
        std::sqrt(std::numbers::pi) / 4 * std::erf(std::sqrt(y)) - fall / 2 - fall * y / 3;
    return 2 * variance * second / velocity_moment(y);
  }

 private:
  double depth(double rise) const { return (top - rise) / variance; }

  /// Integral of exp(-w^2) - exp(-y) over w from 0 to sqrt(y).
  static double velocity_moment(double y) {
    if (y < 1e-4) return 2.0 / 3 * y * std::sqrt(y);
    return std::sqrt(std::numbers::pi) / 2 * std::erf(std::sqrt(y)) - std::sqrt(y) * std::exp(-y);
  }
};

}  // namespace gothic::ic
