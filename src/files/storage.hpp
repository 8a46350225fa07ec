#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>

namespace gothic::files {

/// Whether a dataset is stored in several pieces, such as compressed ones.
bool in_pieces(hid_t dataset);

/// What is wrong with where the numbers of a dataset are: "what is wrong; remedy", or nothing.
/// They must be in the file itself, and not be more than `file_bytes` bytes of a file can hold, be
/// they compressed: a small file that declares a large dataset is refused before there is memory
/// made for it.
std::string storage_problem(hid_t dataset, std::uintmax_t file_bytes);

}  // namespace gothic::files
