#pragma once

#include <string>

#include "app/options.hpp"
#include "files/checkpoint.hpp"
#include "files/provenance.hpp"

/// The commands of `gothic`. Each takes the parsed options and what is known of the files' origin,
/// and returns the exit status.
namespace gothic {

enum ExitStatus { done = 0, failed = 1, wrong_usage = 2, stopped = 3 };

/// Throws InputError if `file`, which is about to be written, is a file that is read.
/// \param option what names it on the command line
void keep_input(const Options& options, const std::filesystem::path& file,
                const std::string& option);
/// The same for what --output names.
void keep_input(const Options& options, const std::filesystem::path& file);

/// Throws InputError that lists the options of a checkpoint that are not those of this run, but for
/// those that do not change its course.
void check_options(const files::FoundCheckpoint& found, const files::Provenance& provenance);

int run_command(const CLI::App& command, const Options& options, files::Provenance provenance);
int force_command(const CLI::App& command, const Options& options, files::Provenance provenance);
int direct_command(const CLI::App& command, const Options& options, files::Provenance provenance);
int bench_command(const CLI::App& command, const Options& options,
                  const files::Provenance& provenance);

}  // namespace gothic
