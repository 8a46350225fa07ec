#pragma once

#include <ostream>

#include "files/report_table.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"

namespace gothic::ic {

/// 2 K / -W of a sphere from its f and density, where W = sum m r.a in the whole system; one in
/// equilibrium.
double virial_ratio(const DistributionFunction& f);

/// The same of a component, a black hole excepted, from particles in the smooth potential.
double virial_ratio(const Galaxy& galaxy, const files::Particles& particles, std::size_t component);

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
                       const files::Particles* particles = nullptr);

}  // namespace gothic::ic
