#pragma once

#include <hdf5.h>

#include <filesystem>
#include <map>
#include <string>

#include "core/device/device_identity.hpp"

namespace gothic::files {

/// Where a file comes from; stored as attributes of the groups /Provenance and /Options. Empty
/// entries are left out.
struct Provenance {
  std::string program;   ///< "gothic run", "gothic-ic", ...
  std::string version;   ///< version of the project
  std::string revision;  ///< last commit of the sources that the program was built from, "-dirty"
                         ///< if they were changed
  std::string compiler;  ///< name, version and options
  std::string device;    ///< what the program ran on
  std::string machine;   ///< host_facts(), and the facts of a GPU
  std::string command_line;                    ///< words separated by blanks
  std::string date;                            ///< UTC, ISO 8601
  std::map<std::string, std::string> options;  ///< every option with its value

  void set(const DeviceIdentity& identity);
};

/// Version of the project.
std::string version();

/// Provenance with version, revision, compiler, machine and the present time filled in.
Provenance current_provenance(std::string program, int argc = 0, const char* const* argv = nullptr);

/// All entries but the options, by their names in a file, without empty ones.
std::map<std::string, std::string> entries(const Provenance& provenance);

/// Writes the groups /Provenance and /Options of an open file.
void write_provenance(hid_t file, const Provenance& provenance);

/// Provenance and options stored in the HDF5 file `path`, under their names; empty if the file has
/// none. Throws InputError if the file cannot be read.
std::map<std::string, std::string> read_origin(const std::filesystem::path& path);

}  // namespace gothic::files
