#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ic/galaxy.hpp"
#include "io/snapshot.hpp"

namespace gothic::ic {

/// How many of `count` particles each component gets: in proportion to the masses, so that all
/// particles have the same mass but for rounding, and at least one each. Throws
/// std::invalid_argument if there are fewer particles than components.
std::vector<std::size_t> share_particles(const Model& model, std::size_t count);

/// Draws particles from a galaxy. Of spheres: radii from M(r), speeds from f(E) v^2, both by
/// inverting the cumulative distribution, and isotropic directions; of discs: see DiscSampler.
/// Every component is moved so that its centre of mass rests at the origin. IDs are 1, 2, ... in
/// the order of the components.
///
/// Particle i of component c uses the random numbers of Philox4x32-10 (Salmon et al. 2011) with key
/// (seed, c) and counter i: the result is the same, bit for bit, for any number of threads.
io::Particles draw_particles(const Galaxy& galaxy, std::size_t count, std::uint32_t seed,
                             unsigned threads);

}  // namespace gothic::ic
