#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gothic::files {

/// One line of a run configuration: the name of an option without its dashes, and its value as it
/// would be written on the command line.
struct ConfigEntry {
  std::string name;
  std::string value;
  int line = 0;  ///< of the file, from 1
};

/// Reads a TOML file of `name = value` lines; values are strings, numbers or truth values.
/// Throws InputError "FILE:LINE: ..." for a file that is not TOML or holds anything else.
std::vector<ConfigEntry> read_run_config(const std::filesystem::path& path);

}  // namespace gothic::files
