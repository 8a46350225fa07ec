#pragma once

#include <string>

#include "core/gravity/external_field.hpp"
#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"
#include "files/field_file.hpp"
#include "files/snapshot.hpp"

/// What single precision cannot hold is refused before anything is computed.
namespace gothic {

/// Positions beyond this are refused.
inline constexpr double longest_position = 1e9;

/// Throws InputError "FILE: FIELD: ..." if forces on these particles would leave the range of
/// single precision on their way: lengths whose fourth powers, velocities whose squares, a total
/// mass M for which M / softening^3, G M / softening^2 or M r^2 are no normal numbers.
/// \param softening in the units of the snapshot
/// \param ranks that have the particles together, and then all throw alike
void require_in_range(const files::Snapshot& snapshot, double softening, const std::string& file,
                      Communicator& ranks = one_rank());

/// The field of a file's potentials, of which there are at most ExternalField::most.
///
/// \param units of the particles
/// \throws InputError if a number is out of the range of single precision, or if either the file or
/// the particles alone have model units
ExternalField external_field(const files::FieldFile& file, const files::Units& units);

}  // namespace gothic
