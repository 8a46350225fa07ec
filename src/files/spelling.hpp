#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gothic::files {

/// The known word that is nearest to a word, if a few letters added, left out or exchanged for
/// others (Levenshtein 1966) make them equal: one for each three letters, and at least one.
/// Otherwise empty.
std::string nearest(std::string_view word, const std::vector<std::string_view>& known);

/// "did you mean 'WORD'? Known are: A, B, C" where a known word is near, otherwise
/// "use one of: A, B, C".
std::string advice(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace gothic::files
