#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/report_table.hpp"
#include "ic/galaxy.hpp"
#include "ic/samples.hpp"

/// How encounters between the particles of a model change it: relaxation within a component, and
/// heating by the heavier particles of another.
namespace gothic::ic {

/// A medium through which particles move: rho, one-dimensional dispersion, mass of one particle.
struct Medium {
  double density, dispersion, particle_mass;
};

/// Growth of the mean square of the velocity of a particle with this speed relative to a medium
/// with Maxwell's distribution, however light the particle is (Chandrasekhar 1943; Binney &
/// Tremaine 2008, eq. 7.92, sum of the squares of all three changes):
///
///   D = 4 sqrt(2) pi G^2 rho m ln(Lambda) / sigma erf(X) / X,  X = speed / (sqrt(2) sigma).
double heating_rate(const Medium& medium, double speed, double coulomb_logarithm, double gravity);

/// Encounters at the half-mass radius of a component; for a disc, in its plane.
struct Encounters {
  double time = 0;         ///< mean square random velocity / D, summed over all components
  std::size_t source = 0;  ///< the component that adds most to D
};

/// Encounters of component k, which is no black hole; black holes do not count as a medium either.
/// Lambda is a length over the larger of the pairs' softening and G (m_j + m_k) / speed^2; the
/// length is the half-mass radius or, for a disc, the root of the mean of z^2 at this radius.
///
/// \param samples one for each component of the galaxy
/// \param softening of components without one of their own
Encounters encounters(const Galaxy& galaxy, std::size_t k, const std::vector<Sample>& samples,
                      double softening);

/// The time for which a model is expected to be followed: 1e10 years, or in model units 100 times
/// sqrt(r^3 / (G M)), where r is the radius that holds half of the mass, and M half of the mass.
double usual_duration(const Galaxy& galaxy);

/// One row per component: number and mass of its particles, the softening, the time after which
/// encounters have changed it (in gigayears, or in model units if the model has no others), and the
/// component whose particles change it most.
files::ReportTable sample_table(const Galaxy& galaxy, const std::vector<Sample>& samples,
                                double softening);

/// A sentence with a remedy for each component that encounters change within a time, or whose
/// softening is longer than its half-mass radius.
/// \param duration the time; 0 for usual_duration()
std::vector<std::string> encounter_warnings(const Galaxy& galaxy,
                                            const std::vector<Sample>& samples, double softening,
                                            double duration);

}  // namespace gothic::ic
