#pragma once

#include <optional>
#include <string>

#include "core/messages/communicator.hpp"
#include "files/snapshot.hpp"

namespace gothic {

/// The largest step between neighbouring numbers of single precision, as a fraction of the
/// softening, that does no harm. A Plummer sphere of 4096 particles was moved away from the origin
/// and run for 10 units of time. The steps at its centre changed its energy by 4e-5 where they were
/// 0.03 of the softening, by 3e-4 where they were 0.07, and by 3e-2 where they were 0.3.
inline constexpr double harmless_step = 0.05;

/// A warning if a system is so far from the origin that single precision has coarse steps at its
/// centre: beyond harmless_step. It is far if its centre of mass is farther away than its particles
/// are from each other.
/// \param softening 0 if it is not known
/// \param ranks that have the particles together
std::optional<std::string> warning_of_far_system(const files::Snapshot& snapshot, double softening,
                                                 Communicator& ranks);

}  // namespace gothic
