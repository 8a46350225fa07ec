#pragma once

namespace gothic::io {

/// Newton's constant in cm^3 g^-1 s^-2 (CODATA 2018).
inline constexpr double newton_constant = 6.67430e-8;
/// Solar mass in g: the nominal G M_sun of IAU 2015 resolution B3 over the constant above.
inline constexpr double solar_mass = 1.3271244e26 / newton_constant;
/// Kiloparsec in cm (IAU 2015 resolution B2).
inline constexpr double kiloparsec = 3.0856775814913673e21;

/// What the numbers in a file are multiples of. All three equal to one means model units, where G
/// = 1.
struct Units {
  double length_in_cm = 1;
  double mass_in_g = 1;
  double velocity_in_cm_per_s = 1;

  bool operator==(const Units&) const = default;

  /// The gravitational constant in these units: 1 in model units, otherwise G M / (L V^2);
  /// 43009 for (1e10 solar masses, kpc, km/s).
  double gravitational_constant() const;

  /// The unit of time, L / V, in seconds.
  double time_in_s() const;
};

}  // namespace gothic::io
