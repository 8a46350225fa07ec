#pragma once

#include <cstddef>
#include <vector>

#include "ic/model.hpp"

namespace gothic::ic {

/// Divides `count` particles among the components of a model. A black hole gets one; a component
/// that names a share gets this fraction of the others; the rest goes to the other components by
/// mass, so that their particles have equal masses but for rounding. Every component gets at least
/// one particle. A model of black holes alone gets no more than one each. Throws SettingError if
/// there are fewer particles than components.
std::vector<std::size_t> particle_counts(const Model& model, std::size_t count);

/// The particles of a component.
struct Sample {
  std::size_t particles = 0;
  double mass = 0;  ///< mass of one particle
};

/// The samples of all components, with particles as in particle_counts.
std::vector<Sample> samples_of(const Model& model, std::size_t count);

}  // namespace gothic::ic
