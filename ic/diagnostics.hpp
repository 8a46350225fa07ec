#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "files/report_table.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"

namespace gothic::ic {

/// 2 K / -W of a sphere from its f and density, where W = sum m r.a in the whole system; one in
/// equilibrium.
double virial_ratio(const DistributionFunction& f);

/// What the particles of each component are like. They may come block by block.
class ParticleSums {
 public:
  explicit ParticleSums(const Galaxy& galaxy);

  void add(const files::Particles& block);

  std::size_t particles(std::size_t component) const { return sums_[component].particles; }

  /// 2 K / -W of a component, a black hole excepted, in the smooth potential.
  double virial_ratio(std::size_t component) const {
    return sums_[component].kinetic / sums_[component].virial;
  }

  /// The radius, of discs from the axis, that holds a share of the particles of a component, to a
  /// step of the `radii` that they are counted between.
  double radius(std::size_t component, double share) const;

 private:
  /// Even in ln r; their steps are below 1e-4.
  static constexpr std::size_t radii = std::size_t{1} << 20;

  struct Sums {
    std::size_t particles = 0;
    std::vector<std::uint32_t> between;  ///< particles between two radii
    double kinetic = 0, virial = 0;
  };

  const Galaxy* galaxy_;
  RadialGrid radii_;
  std::vector<Sums> sums_;
};

/// Profiles of all components, one row per component and radius, in the units of the model:
///
///   component, kind  its name; sphere, disc or black_hole (which has one row with its mass)
///   radius           of spheres from the centre, of discs from the axis
///   density          of spheres; of discs Sigma
///   mass             within the radius; of discs within the cylinder
///   v_circ           speed of a circular orbit in the plane z = 0, all components together
///   sigma_r, sigma_phi, sigma_z  dispersions; of discs at z = 0
///   v_mean           mean rotation; of discs at z = 0
///   toomre_q, height of discs: Q; root of the mean of z^2
///
/// Radii are even in ln r, `per_decade` of them, from 0.001 scales to 0.9999 of the mass.
files::ReportTable profile_table(const Galaxy& galaxy, unsigned per_decade);

/// Prints what a model is made of: per component the central density, masses and radii, the lowest
/// f, the virial ratio and a few rows of its profiles; of `particles`, where given, the virial
/// ratio and the radii that hold 10, 50 and 90 % of them.
void print_diagnostics(std::ostream& out, const Galaxy& galaxy,
                       const ParticleSums* particles = nullptr);

}  // namespace gothic::ic
