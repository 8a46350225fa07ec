#pragma once

#include "ic/model.hpp"

namespace gothic::ic {

/// A function of radius with its first two derivatives.
struct Jet {
  double value = 0;
  double first = 0;
  double second = 0;
};

/// The density of a component, rho0 g(r / scale) erfc((r - cutoff) / (2 width)) / 2, where
///   g(x) = 1 / (x (1 + x)^2)     (Navarro, Frenk & White 1997, eq. 1),
///   g(x) = (1 + x^2)^(-5/2)      (Plummer 1911),
///   g(x) = 1 / (x (1 + x)^3)     (Hernquist 1990, eq. 2).
class DensityProfile {
 public:
  /// With rho0 = 1; see normalise().
  explicit DensityProfile(const Component& component) : component_(component) {}

  const Component& component() const { return component_; }
  double rho0() const { return rho0_; }
  void set_rho0(double rho0) { rho0_ = rho0; }

  double operator()(double radius) const { return jet(radius).value; }
  Jet jet(double radius) const;

  /// gamma where the density goes as r^-gamma near the centre.
  double inner_slope() const;

  /// beta where the density without cutoff goes as r^-beta far out.
  double outer_slope() const;

  /// The radius beyond which the mass does not matter: 1e-15 of it for a cutoff, and without one
  /// 1e-14 (Plummer) and 2e-7 (Hernquist).
  double outer_radius() const;

 private:
  Component component_;
  double rho0_ = 1;
};

}  // namespace gothic::ic
