#pragma once

#include <ostream>
#include <vector>

#include "ic/distribution_function.hpp"
#include "ic/model.hpp"
#include "ic/spherical_system.hpp"
#include "io/snapshot.hpp"

namespace gothic::ic {

/// 2 K / -W of a component from its f and density, where W = sum m r.a in the whole system; one in
/// equilibrium.
double virial_ratio(const SphericalSystem& system, const DistributionFunction& f,
                    std::size_t component);

/// The same from particles, in the smooth potential of the system.
double virial_ratio(const SphericalSystem& system, const io::Particles& particles,
                    std::size_t component);

/// Throws InputError, which starts with `file`, if f of a component is negative somewhere.
void require_positive(const std::string& file, const Model& model,
                      const std::vector<DistributionFunction>& distributions);

/// Prints what a model is made of: per component the central density, masses and radii, the lowest
/// f, the virial ratio and a table of density and velocity dispersion over radius; of `particles`,
/// where given, the virial ratio and the radii that hold 10, 50 and 90 % of them.
void print_diagnostics(std::ostream& out, const Model& model, const SphericalSystem& system,
                       const std::vector<DistributionFunction>& distributions,
                       const io::Particles* particles = nullptr);

}  // namespace gothic::ic
