#pragma once

#include <cstddef>
#include <vector>

#include "ic/model.hpp"

namespace gothic::ic {

/// How many of `count` particles each component gets: a black hole one, a component with a share
/// that fraction of the others, the rest in proportion to their masses, so that their particles
/// have the same mass but for rounding; at least one each. A model of black holes alone gets no
/// more than one each. Throws SettingError if there are fewer particles than components.
std::vector<std::size_t> share_particles(const Model& model, std::size_t count);

/// The particles of a component.
struct Sample {
  std::size_t particles = 0;
  double mass = 0;  ///< of one
};

/// Those of each component, see share_particles.
std::vector<Sample> samples_of(const Model& model, std::size_t count);

}  // namespace gothic::ic
