#pragma once

#include <vector>

#include "ic/galaxy.hpp"
#include "ic/shares.hpp"

namespace gothic::ic {

/// The Plummer softening of the least mean square error of the force on a particle (Merritt 1996;
/// Athanassoula et al. 2000; Dehnen 2001), averaged over the mass of all spheres and discs, these
/// averaged over spheres:
///
///   error^2 = <(G (M_s(r) - M(r)) / r^2)^2 + 3 pi^2 / 4 G^2 sum_j m_j rho_j(r) / softening>.
///
/// The first term is the bias, M_s being the mass within r once every shell is smeared out by
/// Plummer's density; the second the variance, the integral of the square of a softened pull over
/// randomly placed particles of mass m_j and density rho_j. For a Plummer sphere the result is
/// 0.98 a N^-0.26 within 7 %, which is Merritt's fit to 2000 ... 3e5 particles; for
/// cusps of slope 1 it goes as N^(-1/3).
double optimal_softening(const Galaxy& galaxy, const std::vector<Sample>& samples);

/// Whether a model leaves the softening to the number of particles: it has none, and not all of its
/// spheres and discs have one of their own.
bool follows_particles(const Model& model);

/// The least softening by the rule, in units of the shortest scale: that of Miki & Umemura (2017)
/// for an NFW sphere. Less takes shorter steps, and resolves what the model does not have.
constexpr double least_softening = 1.0 / 64;

/// The softening of a run with these particles: the model's; or the shortest of its spheres and
/// discs, if all have one of their own; or the optimal one, but not less than the least.
double run_softening(const Galaxy& galaxy, const std::vector<Sample>& samples);

}  // namespace gothic::ic
