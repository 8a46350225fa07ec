#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"
#include "ic/progress.hpp"
#include "ic/samples.hpp"

/// From a model to its particles.
namespace gothic::ic {

/// What to draw. The particles depend on the model and the first four members alone.
struct Draw {
  std::size_t particles = 0;
  std::uint32_t seed = 1;
  bool quiet = false;           ///< see draw_particles
  bool allow_negative = false;  ///< take a negative distribution function for zero
  double duration = 0;          ///< for encounter_warnings
  unsigned threads = 1;
};

/// Draws particles from a galaxy: spheres with a SphereSampler, discs with a DiscSampler; black
/// holes rest at the origin. Every other component is moved so that its centre of mass rests at the
/// origin. Outer particles move farther than inner ones, so that the densest place of a component
/// stays at the origin, too. IDs are 1, 2, ... in the order of the components.
///
/// For a quiet start particles come in pairs (x, v) and (-x, -v), whose momenta and centres of mass
/// cancel, and the pairs of a sphere fill radii and speeds evenly: number i of Halton's sequence,
/// shifted by random numbers, gives pair i the fraction of the mass within its radius and the
/// fraction of lower speeds there.
///
/// Particle or pair i of component c uses the random numbers of Philox4x32-10 (Salmon et al. 2011)
/// with key (seed, c) and counter i: the result is the same, bit for bit, for any number of
/// threads.
files::Particles draw_particles(const Galaxy& galaxy, std::size_t count, std::uint32_t seed,
                                unsigned threads, bool quiet = false);

/// Number of particles that are in memory while a file is drawn.
inline constexpr std::size_t particles_per_block = std::size_t{1} << 22;

/// Draws the particles of draw_particles() block by block, by type and within a type by ID, as
/// files have them, and calls take(block) for each. A component that is larger than a block is
/// drawn twice: the first time only to find its centre. Throws InputError if a particle is beyond
/// single precision, std::bad_alloc if a block takes more memory than is free.
///
/// \param progress is told of every particle each time that it is drawn, unless null
/// \param per_block a multiple of particles_per_piece
void draw_blocks(const Galaxy& galaxy, const Draw& draw,
                 const std::function<void(const files::Particles& block)>& take,
                 Progress* progress = nullptr, std::size_t per_block = particles_per_block);

/// How many particles draw_blocks() draws; a particle that it draws twice counts twice.
std::size_t particles_to_draw(const Model& model, const Draw& draw);

/// Bytes that a block of draw_blocks() takes.
std::size_t memory_of_block(const Draw& draw);

/// Numbers of particles of each type in a draw.
files::TypeCounts type_counts(const Model& model, const Draw& draw);

/// A snapshot of a galaxy at time 0 with this softening (see run_softening), without particles.
files::Snapshot empty_snapshot(const Galaxy& galaxy, double softening);

/// A snapshot of a galaxy with all particles in memory. Throws InputError if a particle is beyond
/// single precision, std::bad_alloc if the particles take more memory than is free.
files::Snapshot draw_snapshot(const Galaxy& galaxy, const Draw& draw, double softening);

/// Provenance of a snapshot with such a draw. It has no date: it is the same on every run.
files::Provenance provenance(const Draw& draw, const Model& model);

}  // namespace gothic::ic
