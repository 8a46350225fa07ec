#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/messages/communicator.hpp"
#include "core/observers/force_errors.hpp"

namespace gothic {

/// Particles of all ranks whose forces tell the errors of all forces.
struct ErrorSample {
  struct Member {
    std::uint32_t slot;      ///< place in the input of all ranks
    std::int32_t component;  ///< its number in the input
  };

  std::vector<ForceSample::Component> components;  ///< all that have particles, ascending
  std::vector<Member> members;                     ///< in the order of the slots

  std::uint64_t particles() const;  ///< of all components
};

/// How many particles of all ranks each component has, ascending by their numbers.
/// \param components [n] of the own rank's particles
std::vector<ForceSample::Component> components_of(Communicator& ranks,
                                                  std::span<const std::int32_t> components);

/// Particles that are sampled for a log. A choice by 99 % errors needs more.
inline constexpr std::uint32_t sampled_for_log = 1024, sampled_for_choice = 4096;

/// About `count` particles, or all if there are no more. Half of them are spread over all particles
/// alike, and half over the components alike, so that small components have many, too.
///
/// The ID decides whether a particle is in the sample, whatever the ranks and the order.
/// \param ids, components [n] of the own rank's particles
/// \param first place of the first of them in the input of all ranks
ErrorSample error_sample(Communicator& ranks, std::span<const std::uint64_t> ids,
                         std::span<const std::int32_t> components, std::size_t first,
                         std::uint32_t count);

}  // namespace gothic
