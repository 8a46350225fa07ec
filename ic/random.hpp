#pragma once

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "files/snapshot.hpp"

namespace gothic::ic {

/// Number of particles in a piece, which one thread draws at a time. Sums over particles are also
/// taken piece by piece, so that they do not depend on the number of threads.
inline constexpr std::size_t particles_per_piece = std::size_t{1} << 14;

/// The random numbers of a component: for each particle and each `block`, four words of
/// Philox4x32-10 (Salmon et al. 2011). They depend on nothing else.
struct Random {
  std::uint32_t seed;
  std::uint32_t component;

  std::array<std::uint32_t, 4> operator()(std::uint64_t particle, std::uint32_t block) const {
    const r123::Philox4x32::key_type key = {{seed, component}};
    const r123::Philox4x32::ctr_type counter = {{static_cast<std::uint32_t>(particle),
                                                 static_cast<std::uint32_t>(particle >> 32), block,
                                                 0}};
    const auto words = r123::Philox4x32()(counter, key);
    return {words[0], words[1], words[2], words[3]};
  }
};

/// A uniform number in (0, 1), never at the ends, with 32 bits.
inline double uniform(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }

/// A uniform number in (0, 1), never at the ends, with 52 bits.
inline double uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

/// A vector of this length in the direction that two uniform words stand for.
inline files::Vec3 isotropic(double length, std::uint32_t word_z, std::uint32_t word_phi) {
  const double z = 2 * uniform(word_z) - 1;
  const double phi = 2 * std::numbers::pi * uniform(word_phi);
  const double rho = length * std::sqrt((1 - z) * (1 + z));
  return {static_cast<float>(rho * std::cos(phi)), static_cast<float>(rho * std::sin(phi)),
          static_cast<float>(length * z)};
}

}  // namespace gothic::ic
