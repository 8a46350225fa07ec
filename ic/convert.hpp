#pragma once

#include <filesystem>
#include <string>

#include "files/snapshot_reader.hpp"

namespace gothic::ic {

/// A format of snapshots: GADGET HDF5 (files/snapshot.hpp) or TIPSY (files/tipsy.hpp).
enum class Format { hdf5, tipsy };

/// The format that `word` names, "hdf5" or "tipsy"; if `word` is empty, the format that the suffix
/// of `output` names. Throws InputError for an unknown word or suffix.
Format output_format(const std::string& word, const std::filesystem::path& output);

/// Reads a snapshot in the format that its content shows and writes it in `format` (see
/// output_format), with the provenance of the input. Throws as the readers and writers do.
void convert(const std::string& input, const std::string& output, const std::string& format = "",
             files::Reading reading = {});

}  // namespace gothic::ic
