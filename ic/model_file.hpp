#pragma once

#include <filesystem>
#include <string>

#include "ic/model.hpp"

namespace gothic::ic {

/// Reads a model from a TOML file. Throws InputError "FILE:LINE: KEY: problem; remedy" for a file
/// that is not TOML, an unknown or missing key, and a value of the wrong type or out of range.
Model read_model(const std::filesystem::path& path);

/// The same from the text of `path`, which messages name and beside which tables lie.
Model parse_model(const std::string& text, const std::filesystem::path& path);

}  // namespace gothic::ic
