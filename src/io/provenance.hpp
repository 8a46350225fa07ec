#pragma once

#include <hdf5.h>

#include <map>
#include <string>

namespace gothic::io {

/// Where a file comes from; stored as attributes of the groups /Provenance and /Options. Empty
/// entries are left out.
struct Provenance {
  std::string program;   ///< "gothic run", "gothic-ic", ...
  std::string version;   ///< of the project
  std::string revision;  ///< last commit of the sources that the program was built from, "-dirty"
                         ///< if they were changed
  std::string compiler;  ///< name, version and options
  std::string device;    ///< what the program ran on
  std::string command_line;                    ///< words separated by blanks
  std::string date;                            ///< UTC, ISO 8601
  std::map<std::string, std::string> options;  ///< every option with its value
};

/// What is known without being told: version, revision, compiler and the present time.
Provenance current_provenance(std::string program, int argc = 0, const char* const* argv = nullptr);

/// Writes the groups /Provenance and /Options of an open file.
void write_provenance(hid_t file, const Provenance& provenance);

}  // namespace gothic::io
