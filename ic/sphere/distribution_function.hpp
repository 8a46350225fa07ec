#pragma once

#include <cmath>
#include <vector>

#include "ic/sphere/spherical_system.hpp"

namespace gothic::ic {

/// The distribution function f(Q) of one component in the potential of all components, by
/// Eddington's inversion (Eddington 1916; Binney & Tremaine 2008, eq. 4.46b)
///
///   f(Q) = 1 / (sqrt(8) pi^2) integral_0^Q d^2rho_Q/dPsi^2 dPsi / sqrt(Q - Psi).
///
/// For isotropic velocities Q = E = Psi - v^2 / 2 and rho_Q = rho. With an anisotropy radius r_a
/// (Osipkov 1979, Merritt 1985)
///
///   Q = E - L^2 / (2 r_a^2) = Psi - u^2 / 2,  u^2 = v_r^2 + (1 + r^2 / r_a^2) v_t^2,
///   rho_Q = (1 + r^2 / r_a^2) rho = 4 pi integral f u^2 du,
///
/// and the anisotropy 1 - sigma_t^2 / sigma_r^2 is r^2 / (r^2 + r_a^2), sigma_t in one direction.
/// The boundary term of the inversion is zero, since all densities here fall to zero. f is
/// tabulated at the energies Psi(r) of the radii of the system's grid.
class DistributionFunction {
 public:
  /// An anisotropy radius of 0 stands for isotropic velocities.
  DistributionFunction(const SphericalSystem& system, std::size_t component, unsigned threads = 1,
                       double anisotropy_radius = 0);

  const SphericalSystem& system() const { return *system_; }
  std::size_t component() const { return component_; }

  /// The t = ln r where the component ends; f is zero at the energies beyond.
  double last_t() const { return last_t_; }

  /// 1 + r^2 / r_a^2; 1 where velocities are isotropic.
  double stretch(double radius) const;

  /// f at energy Psi(exp(t)), at least zero. The interpolation is cubic in ln f.
  double at(double t) const;

  /// The lowest f among the energies Psi(r) of the radii that hold 1e-9 to 1 - 1e-9 of the mass.
  struct Minimum {
    double value;
    double energy;
    double radius;  ///< where Psi is that energy
  };
  Minimum minimum() const;

  /// True if f is negative somewhere: then no such system has this density in this potential.
  bool is_negative() const { return minimum().value < 0; }

  /// Mass that setting negative f to zero would add, as a fraction of the component's.
  double negative_mass_fraction() const;

 private:
  const SphericalSystem* system_;
  std::size_t component_;
  double anisotropy_radius_;
  double last_t_;
  std::vector<double> value_;  // at the grid's radii
  // Logarithm of f / (last_t - t) or, where f is not positive, of a tiny number.
  std::vector<double> log_value_;
};

/// The distribution of speeds at one radius: density f u^2 over u, on points from u = 0 to the
/// escape speed. Here u is the speed or, with an anisotropy radius, the u of DistributionFunction.
class SpeedDistribution {
 public:
  SpeedDistribution(const DistributionFunction& f, double t);

  /// The speed that a fraction q of the particles does not reach.
  double quantile(double q) const;

  /// The integral of f over all velocities: the density that f gives at this radius.
  double density() const;

  /// Dispersions of the radial velocity and of the velocity in one tangential direction; both are
  /// equal for isotropic velocities.
  double radial_dispersion() const;
  double tangential_dispersion() const { return radial_dispersion() / std::sqrt(stretch_); }

 private:
  double stretch_;
  std::vector<double> speed_;
  std::vector<double> within_;  // integral of f u^2 du up to each speed
  std::vector<double> rate_;    // d within / dw, where w numbers the points
};

}  // namespace gothic::ic
