#pragma once

#include <cstddef>
#include <vector>

#include "ic/spherical_system.hpp"

namespace gothic::ic {

/// The isotropic distribution function f(E) of one component in the potential of all, by
/// Eddington's inversion (Eddington 1916; Binney & Tremaine 2008, eq. 4.46b)
///
///   f(E) = 1 / (sqrt(8) pi^2) integral_0^E d^2rho/dPsi^2 dPsi / sqrt(E - Psi),
///
/// with E = Psi - v^2 / 2, so that rho = 4 pi integral f v^2 dv. The boundary term of the formula
/// is zero for densities that fall to zero as those here do. f is tabulated at the energies
/// Psi(r) of the radii of the system's grid.
class DistributionFunction {
 public:
  DistributionFunction(const SphericalSystem& system, std::size_t component, unsigned threads = 1);

  /// f at energy Psi(exp(t)), at least zero. Cubic in ln f.
  double at(double t) const;

  /// f at a specific energy E in (0, Psi(0)), at least zero.
  double operator()(double energy) const { return at(system_->turning_point(energy)); }

  /// Where f is lowest among the energies that matter (all but 1e-9 of the mass reach them).
  struct Minimum {
    double value;
    double energy;
    double radius;  ///< where Psi is that energy
  };
  Minimum minimum() const;

  /// True if f is negative somewhere: no isotropic system has this density in this potential.
  bool is_negative() const { return minimum().value < 0; }

  /// Mass that setting negative f to zero would add, as a fraction of the component's.
  double negative_mass_fraction() const;

 private:
  const SphericalSystem* system_;
  std::size_t component_;
  std::vector<double> value_;      // at the grid's radii
  std::vector<double> log_value_;  // of the value or, where it is not positive, of a tiny number
};

}  // namespace gothic::ic
