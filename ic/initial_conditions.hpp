#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"
#include "ic/progress.hpp"
#include "ic/shares.hpp"

/// From a model to its particles.
namespace gothic::ic {

/// What is asked of a draw. Its particles depend on the first four members and the model alone.
struct Draw {
  std::size_t particles = 0;
  std::uint32_t seed = 1;
  bool quiet = false;           ///< see draw_particles
  bool allow_negative = false;  ///< take a negative distribution function for zero
  double duration = 0;          ///< for encounter_warnings
  unsigned threads = 1;
};

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

/// Particles that are in memory while a file is drawn.
inline constexpr std::size_t particles_per_block = std::size_t{1} << 22;

/// Draws the same particles block by block, by type and within a type by ID, as files have them,
/// and calls take(block) for each. A component that is larger than a block is drawn twice: the
/// first time only to find its centre. Throws InputError if a particle is beyond single precision,
/// std::bad_alloc if a block takes more memory than is free.
///
/// \param progress is told of every particle each time that it is drawn, unless null
/// \param per_block a multiple of particles_per_piece
void draw_blocks(const Galaxy& galaxy, const Draw& draw,
                 const std::function<void(const files::Particles& block)>& take,
                 Progress* progress = nullptr, std::size_t per_block = particles_per_block);

/// How many particles draw_blocks() draws, those that it draws twice counted twice.
std::size_t particles_to_draw(const Model& model, const Draw& draw);

/// Bytes that a block of draw_blocks() takes.
std::size_t memory_of_block(const Draw& draw);

/// The particles of each type that a draw gives.
files::TypeCounts type_counts(const Model& model, const Draw& draw);

/// A snapshot of a galaxy at time 0, with this softening, see run_softening, yet without particles.
files::Snapshot empty_snapshot(const Galaxy& galaxy, double softening);

/// The same with all its particles in memory. Throws InputError if one is beyond single precision,
/// std::bad_alloc if they take more memory than is free.
files::Snapshot draw_snapshot(const Galaxy& galaxy, const Draw& draw, double softening);

/// Where such a snapshot comes from. It is the same on every run.
files::Provenance provenance(const Draw& draw, const Model& model);

}  // namespace gothic::ic
