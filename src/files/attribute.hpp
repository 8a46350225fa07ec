#pragma once

#include <hdf5.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>

namespace gothic::files {

/// A small value with a name, stored as an HDF5 attribute. Empty strings are not stored.
using Attribute = std::variant<std::int64_t, double, std::string>;
using Attributes = std::map<std::string, Attribute>;

/// Writes one attribute of the open group or dataset `where`, replacing one of the same name.
void write_attribute(hid_t where, const std::string& name, const Attribute& value);

/// Writes a one-dimensional attribute, little-endian and of the width of the elements.
void write_attribute(hid_t where, const std::string& name, std::span<const double> values);
void write_attribute(hid_t where, const std::string& name, std::span<const std::int32_t> values);
void write_attribute(hid_t where, const std::string& name, std::span<const std::uint32_t> values);

/// Writes one 32-bit integer, where a format asks for that width.
void write_scalar_attribute(hid_t where, const std::string& name, std::int32_t value);

/// Writes all of `attributes` to the group `name` below `file`, which is made if it is not there.
void write_attributes(hid_t file, const std::string& name, const Attributes& attributes);

}  // namespace gothic::files
