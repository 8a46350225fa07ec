#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gothic::files {

/// Bytes of the UTF-8 sequence at the begin of `text` (RFC 3629, section 4); 0 if it is none.
std::size_t sequence_length(std::string_view text);

/// The text with a question mark for every byte that belongs to no UTF-8 sequence.
std::string valid_utf8(std::string_view text);

}  // namespace gothic::files
