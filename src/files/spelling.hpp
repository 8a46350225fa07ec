#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gothic::files {

/// "did you mean 'WORD'? Known are: A, B, C" where a known word is near, otherwise
/// "use one of: A, B, C". Near are words that a few letters added, left out or exchanged for others
/// (Levenshtein 1966) make equal: one for each three letters, and at least one.
std::string advice(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace gothic::files
