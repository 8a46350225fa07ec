#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"
#include "ic/model_file.hpp"

/// From a model to the file of its particles.
namespace gothic::ic {

/// What the particles of a model depend on, and nothing else.
struct Draw {
  std::size_t particles = 0;
  std::uint32_t seed = 1;
  bool quiet = false;           ///< see draw_particles
  bool allow_negative = false;  ///< take a negative distribution function for zero
};

/// Throws InputError if there are fewer particles than the model has components.
void require_enough_particles(const Model& model, std::size_t particles);

/// As Galaxy(), with the name of the model's file before what it complains of.
Galaxy make_galaxy(const Model& model, const std::string& file, unsigned threads);

/// The particles of a galaxy at time 0. Their softening is that of the model or, where only
/// components have one, the shortest. Throws InputError if one is beyond single precision,
/// bad_alloc if they need more memory than the machine has.
files::Snapshot draw_snapshot(const Galaxy& galaxy, const Draw& draw, unsigned threads);

/// Where such a snapshot comes from. It is the same on every run.
files::Provenance provenance(const Draw& draw, const Model& model);

}  // namespace gothic::ic
