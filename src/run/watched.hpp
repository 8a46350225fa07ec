#pragma once

#include <string>

#include "core/engine/simulation.hpp"
#include "files/snapshot.hpp"
#include "run/watch.hpp"

namespace gothic {

/// The name of a particle and where it is, such as "particle 17 of halo at (1, 2, 3)".
/// \param snapshot the initial state, for IDs and components
std::string words_for(const OneParticle& particle, const files::Snapshot& snapshot);

/// What a watch asks about the particles of a simulation. Both must outlive it.
Watch::Particles watched(Simulation& simulation, const files::Snapshot& snapshot);

/// Throws std::runtime_error that names the first particle that is not finite, if the sums are not.
void check_finite(Simulation& simulation, const files::Snapshot& snapshot, const Conserved& sums);

}  // namespace gothic
