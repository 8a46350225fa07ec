#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "files/provenance.hpp"
#include "files/snapshot.hpp"

/// Formats of snapshots, and the subcommand that turns one into the other.
namespace gothic::ic {

/// GADGET HDF5 (io/snapshot.hpp) or TIPSY (io/tipsy.hpp).
enum class Format { hdf5, tipsy };

/// Adds the option --format, whose value, "hdf5" or "tipsy", goes to `word`.
void declare_format(CLI::App& app, std::string& word);

/// The format that `word` names or, if it is empty, the suffix of `output`. Throws InputError if
/// that is none of the known ones.
Format output_format(const std::string& word, const std::filesystem::path& output);

/// Reads a snapshot, whose format is known by its content. Throws InputError as the readers do.
files::Snapshot read_any(const std::filesystem::path& path);

/// Writes a snapshot in that format. Throws InputError and files::WriteError as the writers do.
void write_any(const std::filesystem::path& path, Format format, const files::Snapshot& snapshot,
               const files::Provenance& provenance);

/// Adds the subcommand "convert" to the program, which reads a snapshot and writes it anew. The
/// command runs, and throws what read_any and write_any throw, while the command line is parsed.
void declare_convert(CLI::App& app);

}  // namespace gothic::ic
