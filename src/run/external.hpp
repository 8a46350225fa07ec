#pragma once

#include "core/gravity/external_field.hpp"
#include "files/field_file.hpp"

namespace gothic {

/// The field of a file's potentials, of which there are at most ExternalField::most.
///
/// \param gravity G in the units of the particles
/// \throws InputError if a number is out of the range of single precision
ExternalField external_field(const files::FieldFile& file, double gravity);

}  // namespace gothic
