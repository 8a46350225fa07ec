#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Numbers and words as messages and tables have them.
namespace gothic::files {

/// The shortest text that stands for this number.
std::string shortest(double value);

/// The value in so many significant digits.
std::string rounded(double value, int digits);

/// One number in a format of the library fmt, such as "{:.4g}"; ? where it is not finite.
std::string formatted(std::string_view format, double value);

/// Three digits with the SI prefix that keeps them short, as in 12.3 M.
std::string with_prefix(double value);

/// A size of memory or of a file, as in 12.3 MB.
std::string bytes(double count);

/// The two largest units of a time in seconds, as in 1 h 02 min; in 1.25 s and 3.4 ms one.
std::string duration(double seconds);

/// The text with question marks for bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);

/// The known word that is nearest to a word, if a few letters added, left out, exchanged for others
/// or swapped with their neighbour (Damerau 1964) make them equal: one for each three letters, and
/// at least one. Otherwise empty.
std::string nearest(std::string_view word, const std::vector<std::string_view>& known);

/// "did you mean 'WORD'? Known are: A, B, C" where a known word is near, otherwise
/// "use one of: A, B, C".
std::string advice(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace gothic::files
