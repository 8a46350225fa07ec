#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gothic::files {

class InputFile;

/// What is known of one component of a model, e.g. its halo. Its place in a list is the number that
/// its particles carry.
struct ComponentInfo {
  std::string name;       ///< UTF-8
  std::uint8_t type = 1;  ///< of its particles, 0 ... 5
  double softening = 0;   ///< Plummer softening recommended for it; 0 where there is none

  bool operator==(const ComponentInfo&) const = default;
};

/// Writes the group /Components of an open file: the datasets Name (strings of fixed length), Type
/// (32-bit integers) and Softening (64-bit reals), one row per component. Without components there
/// is no group. Throws hdf5::Failure.
void write_components(hid_t file, std::span<const ComponentInfo> components);

/// Reads that group; empty where the file has none. Throws InputError if a dataset is missing or
/// has another length than Name, for a type outside 0 ... 5 and for a softening that is negative or
/// not finite.
std::vector<ComponentInfo> read_components(const InputFile& file);

}  // namespace gothic::files
