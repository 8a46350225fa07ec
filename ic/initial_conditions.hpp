#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"

/// From a model to its particles.
namespace gothic::ic {

/// How many of `count` particles each component gets: a black hole one, a component with a share
/// that fraction of the others, the rest in proportion to their masses, so that their particles
/// have the same mass but for rounding; at least one each. A model of black holes alone gets no
/// more than one each. Throws InputError if there are fewer particles than components.
std::vector<std::size_t> share_particles(const Model& model, std::size_t count);

/// Draws particles from a galaxy: of spheres with a SphereSampler, of discs with a DiscSampler;
/// black holes rest at the origin. Every other component is moved so that its centre of mass rests
/// there, its outer particles more than those near the centre, which would otherwise no longer be
/// that of the other components. IDs are 1, 2, ... in the order of the components.
///
/// For a quiet start particles come in pairs (x, v) and (-x, -v), whose momenta and centres of mass
/// cancel, and those of a sphere fill radii and speeds evenly: pair i has number i of Halton's
/// sequence, moved by random numbers, for its share of the mass and of the speeds at its radius.
///
/// Particle or pair i of component c uses the random numbers of Philox4x32-10 (Salmon et al. 2011)
/// with key (seed, c) and counter i: the result is the same, bit for bit, for any number of
/// threads.
files::Particles draw_particles(const Galaxy& galaxy, std::size_t count, std::uint32_t seed,
                                unsigned threads, bool quiet = false);

/// What the particles of a model depend on, and nothing else.
struct Draw {
  std::size_t particles = 0;
  std::uint32_t seed = 1;
  bool quiet = false;           ///< see draw_particles
  bool allow_negative = false;  ///< take a negative distribution function for zero
};

/// The particles of a galaxy at time 0. Their softening is that of the model or, where only
/// components have one, the shortest. Throws InputError if one is beyond single precision,
/// bad_alloc if they need more memory than the machine has.
files::Snapshot draw_snapshot(const Galaxy& galaxy, const Draw& draw, unsigned threads);

/// Where such a snapshot comes from. It is the same on every run.
files::Provenance provenance(const Draw& draw, const Model& model);

}  // namespace gothic::ic
