#pragma once

#include <optional>
#include <string>

#include "settings/options.hpp"

namespace gothic {

/// Reads the command line of a program, and the file that --config names.
///
/// \param version what --version prints
/// \returns nothing where only help or version was asked for, which is printed
/// \throws InputError for wrong usage
std::optional<Options> read_command_line(const std::string& program, const std::string& version,
                                         int argc, const char* const* argv);

/// Throws files::WriteError if something that the program printed on standard output was lost, for
/// example on a full disk. Whoever closes a pipe has seen enough: that is no failure.
void require_printed();

}  // namespace gothic
