#pragma once

#include <string>

#include "files/snapshot_reader.hpp"
#include "settings/options.hpp"

namespace gothic {

/// What --gas and --box decide.
/// \param program whose name begins the notes on standard error
files::Reading reading_of(const Options& options, const std::string& program);

}  // namespace gothic
