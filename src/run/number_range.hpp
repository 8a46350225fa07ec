#pragma once

#include <string>

#include "files/snapshot.hpp"

namespace gothic {

/// Throws InputError "FILE: FIELD: ..." if forces on these particles would leave the range of
/// single precision on their way: lengths whose fourth powers, velocities whose squares, a total
/// mass M for which M / softening^3, G M / softening^2 or M r^2 are no normal numbers. \param
/// softening in the units of the snapshot
void require_in_range(const files::Snapshot& snapshot, double softening, const std::string& file);

}  // namespace gothic
