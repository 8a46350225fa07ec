#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Numbers and words as messages and tables show them.
namespace gothic::files {

/// The shortest text that stands for this number.
std::string shortest(double value);

/// The value in so many significant digits.
std::string rounded(double value, int digits);

/// One number in a format of the library fmt, such as "{:.4g}"; ? if it is not finite.
std::string formatted(std::string_view format, double value);

/// Three digits with the SI prefix that keeps them short, as in 12.3 M.
std::string with_prefix(double value);

/// A size of memory or of a file, as in 12.3 MB.
std::string bytes(double count);

/// A time in seconds in its two largest units, as in 1 h 02 min; below a minute in one unit, as in
/// 1.25 s and 3.4 ms.
std::string duration(double seconds);

/// The text with question marks for bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);

/// FNV-1a of a text in 64 bits (Fowler, Noll & Vo), as 16 hexadecimal digits. It tells texts apart
/// that differ by chance, not on purpose.
std::string digest(std::string_view text);

/// The known word that is nearest to a word, if few changes make them equal: one change for each
/// three letters, and at least one. A change adds, leaves out or exchanges a letter, or swaps it
/// with its neighbour (Damerau 1964). Empty if no word is so near.
std::string nearest(std::string_view word, const std::vector<std::string_view>& known);

/// "did you mean 'WORD'? Known are: A, B, C" if a known word is near, otherwise "use one of: A, B,
/// C".
std::string advice(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace gothic::files
