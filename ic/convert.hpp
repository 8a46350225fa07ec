#pragma once

#include <filesystem>
#include <string>

namespace gothic::ic {

/// A format of snapshots: GADGET HDF5 (files/snapshot.hpp) or TIPSY (files/tipsy.hpp).
enum class Format { hdf5, tipsy };

/// The format that `word`, "hdf5" or "tipsy", names or, if it is empty, the suffix of `output`.
/// Throws InputError if that is none of the known ones.
Format output_format(const std::string& word, const std::filesystem::path& output);

/// Reads a snapshot, whose format its content tells, and writes it anew; the origin of the input
/// goes along. `format`: see output_format. Throws as the readers and writers do.
void convert(const std::string& input, const std::string& output, const std::string& format = "");

}  // namespace gothic::ic
