#pragma once

#include <filesystem>
#include <string>

#include "files/provenance.hpp"
#include "options/options.hpp"

/// The commands of `gothic`. Each takes its options and what is known of the files' origin, and
/// returns the exit status.
namespace gothic {

enum ExitStatus { done = 0, failed = 1, wrong_usage = 2, stopped = 3 };

/// Throws InputError if the file that is written is one that is read.
/// \param option names the file, as --output does
/// \param inside file in the folder that the option names; empty where it names a file
void keep_input(const Options& options, const std::string& option,
                const std::filesystem::path& inside = {});

int run_command(const Options& options, files::Provenance provenance);
int force_command(const Options& options, files::Provenance provenance);
int direct_command(const Options& options, files::Provenance provenance);
int bench_command(const Options& options, const files::Provenance& provenance);

}  // namespace gothic
