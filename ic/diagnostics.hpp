#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "files/report_table.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"

namespace gothic::ic {

/// 2 K / -W of a sphere from its f and density, where W = sum m r.a in the whole system. It is 1 in
/// equilibrium.
double virial_ratio(const DistributionFunction& f);

/// Sums over the particles of each component, which may come block by block.
class ParticleSums {
 public:
  explicit ParticleSums(const Galaxy& galaxy);

  void add(const files::Particles& block);

  std::size_t particles(std::size_t component) const { return sums_[component].particles; }

  /// 2 K / -W of a component that is no black hole, in the smooth potential.
  double virial_ratio(std::size_t component) const {
    return sums_[component].kinetic / sums_[component].virial;
  }

  /// The radius (of a disc, the distance from the axis) that holds a fraction of a component's
  /// particles, as exact as the steps between the `radii`.
  double radius(std::size_t component, double fraction) const;

 private:
  /// Number of radii for counting particles, even in ln r, in steps below 1e-4.
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
/// * component, kind: name; sphere, disc or black_hole (which has one row with its mass)
/// * radius: distance from the centre of a sphere, from the axis of a disc
/// * density: rho of a sphere, Sigma of a disc
/// * mass: within the radius; for a disc within the cylinder
/// * v_circ: speed of a circular orbit in the plane z = 0, all components together
/// * sigma_r, sigma_phi, sigma_z: dispersions; for a disc at z = 0
/// * v_mean: mean rotation; for a disc at z = 0
/// * toomre_q, height: for a disc: Q; root of the mean of z^2
///
/// Radii are even in ln r, `per_decade` of them, from 0.001 scales to 0.9999 of the mass.
files::ReportTable profile_table(const Galaxy& galaxy, unsigned per_decade);

/// Prints for each component the central density, masses and radii, the lowest f, the virial ratio
/// and a few rows of its profiles. If `particles` are given, it also prints their virial ratio and
/// the radii that hold 10, 50 and 90 % of them.
void print_diagnostics(std::ostream& out, const Galaxy& galaxy,
                       const ParticleSums* particles = nullptr);

}  // namespace gothic::ic
