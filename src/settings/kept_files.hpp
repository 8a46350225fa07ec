#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "settings/options.hpp"

namespace gothic {

/// A file that is read, and what messages call it, such as "the table of component 'halo'".
struct ReadFile {
  std::string name;
  std::filesystem::path path;
};

/// Throws InputError where a command would write over a file that it reads, or write two results to
/// one file, whatever these files are called: ./x and x, links, x.partial.
/// \param read files that are read besides those that options name
/// \param in_output files in the folder --output that are to be removed or replaced
void keep_files(const Options& options, const std::vector<ReadFile>& read = {},
                const std::vector<std::filesystem::path>& in_output = {});

}  // namespace gothic
