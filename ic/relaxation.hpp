#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/report_table.hpp"
#include "ic/galaxy.hpp"
#include "ic/shares.hpp"

/// How encounters between the particles of a model change it: relaxation within a component, and
/// heating by the heavier particles of another.
namespace gothic::ic {

/// A medium through which particles move: rho, one-dimensional dispersion and mass of a particle.
struct Medium {
  double density, dispersion, particle_mass;
};

/// Growth of the mean square of the velocity of a particle with this speed relative to a medium
/// with Maxwell's distribution, however light the particle is (Chandrasekhar 1943; Binney &
/// Tremaine 2008, eq. 7.92, sum of the squares of all three changes):
///
///   D = 4 sqrt(2) pi G^2 rho m ln(Lambda) / sigma erf(X) / X,  X = speed / (sqrt(2) sigma).
double heating_rate(const Medium& medium, double speed, double coulomb_logarithm, double gravity);

/// Encounters at the half-mass radius of a component, of a disc in its plane.
struct Encounters {
  double time = 0;         ///< mean square random velocity / D, summed over all components
  std::size_t source = 0;  ///< the component that adds most to D
};

/// Encounters of component k, which is no black hole; black holes do not count as a medium either.
/// Lambda is the half-mass radius, of a disc the root of the mean of z^2 there, over the larger of
/// softening and G (m_j + m_k) / speed^2.
///
/// \param samples one for each component of the galaxy
Encounters encounters(const Galaxy& galaxy, std::size_t k, const std::vector<Sample>& samples,
                      double softening);

/// For how long a model is expected to be followed: 1e10 years, or in model units 100 times
/// sqrt(r^3 / (G M)), r the radius that holds half of the mass and M that half.
double usual_duration(const Galaxy& galaxy);

/// One row per component: its particles, their mass, the softening, and after what time encounters
/// with particles of which component have changed it, in gigayears unless the units are those of a
/// model.
files::ReportTable sample_table(const Galaxy& galaxy, const std::vector<Sample>& samples,
                                double softening);

/// A sentence for each component that encounters change within a time, with a remedy.
/// \param duration that time; 0 for the usual one
std::vector<std::string> encounter_warnings(const Galaxy& galaxy,
                                            const std::vector<Sample>& samples, double softening,
                                            double duration);

}  // namespace gothic::ic
