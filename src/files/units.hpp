#pragma once

namespace gothic::files {

/// The constants with which GADGET-2 (Springel 2005) and the files made for it define their units,
/// in cgs. Newton's constant is a little below today's value and the solar mass a little above;
/// their product, which alone matters for dynamics, is right to 5e-5.
inline constexpr double newton_constant = 6.672e-8;
inline constexpr double solar_mass = 1.989e33;
inline constexpr double kiloparsec = 3.085678e21;

/// 1e9 Julian years in seconds.
inline constexpr double gigayear = 3.15576e16;

/// What the numbers in a file are multiples of. All three equal to one means model units, where G
/// = 1.
struct Units {
  double length_in_cm = 1;
  double mass_in_g = 1;
  double velocity_in_cm_per_s = 1;

  bool operator==(const Units&) const = default;

  /// The gravitational constant in these units: 1 in model units, otherwise G M / (L V^2);
  /// 43007.1 for (1e10 solar masses, kpc, km/s).
  double gravitational_constant() const {
    if (*this == Units{}) return 1;
    return newton_constant * mass_in_g /
           (length_in_cm * velocity_in_cm_per_s * velocity_in_cm_per_s);
  }

  /// The unit of time, L / V, in seconds.
  double time_in_s() const { return length_in_cm / velocity_in_cm_per_s; }
};

}  // namespace gothic::files
