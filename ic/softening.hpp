#pragma once

#include <vector>

#include "ic/galaxy.hpp"
#include "ic/samples.hpp"

namespace gothic::ic {

/// The Plummer softening with the least mean square error of the force on a particle (Merritt 1996;
/// Athanassoula et al. 2000; Dehnen 2001). The mean is over the mass of all spheres and discs, with
/// discs averaged over spheres:
///
///   error^2 = <(G (M_s(r) - M(r)) / r^2)^2 + 3 pi^2 / 4 G^2 sum_j m_j rho_j(r) / softening>.
///
/// The first term is the bias: M_s is the mass within r once every shell is smeared out by
/// Plummer's density. The second term is the variance: the integral of the square of a softened
/// pull over randomly placed particles of mass m_j and density rho_j. For a Plummer sphere the
/// result is 0.98 a N^-0.26 within 7 %, which is Merritt's fit to 2000 ... 3e5 particles; for cusps
/// of slope 1 it goes as N^(-1/3).
///
/// The result is at most most_softening shortest scales. Without this bound, few particles would
/// have the least error without any force.
double optimal_softening(const Galaxy& galaxy, const std::vector<Sample>& samples);

/// Whether the softening follows from the number of particles: the model has none, and some of its
/// spheres and discs have none of their own.
bool follows_particles(const Model& model);

/// The least softening that follows from the number of particles, in units of the shortest scale:
/// the softening of Miki & Umemura (2017) for an NFW sphere. A smaller one takes shorter steps
/// without resolving more of the model.
constexpr double least_softening = 1.0 / 64;
/// The largest one: the shortest scale, beyond which the softening erases a component.
constexpr double most_softening = 1;

/// The softening of a component: its own, or else that of the run.
inline double softening_of(const Component& component, double of_run) {
  return component.softening > 0 ? component.softening : of_run;
}

/// The softening of a run with these particles: the model's own; or the shortest softening of its
/// spheres and discs, if all have one; or the optimal softening, but at least the least one.
/// Components with a softening of their own take that one.
double run_softening(const Galaxy& galaxy, const std::vector<Sample>& samples);

}  // namespace gothic::ic
