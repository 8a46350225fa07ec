#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace gothic::files {

/// Bytes of the longest text that is read.
constexpr std::uintmax_t longest_text = std::uintmax_t{64} << 20;

/// The text of a file. `field` names it in messages, "FILE: FIELD: ...".
/// Throws InputError if it is no file, such as a device that never ends, or longer than
/// longest_text, or cannot be read.
std::string read_text(const std::filesystem::path& path, const std::string& field);

}  // namespace gothic::files
