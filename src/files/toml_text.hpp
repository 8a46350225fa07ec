#pragma once

#include <toml++/toml.h>

#include <string>

namespace gothic::files {

/// Parses the text of `file`. Throws InputError "FILE:LINE: ..." if it is not TOML.
toml::table parse_toml(const std::string& file, const std::string& text);

}  // namespace gothic::files
