#pragma once

#include <string>
#include <string_view>

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

/// The two largest units of a time in seconds, as in 1 h 02 min; in 1.25 s and 3.4 ms one.
std::string duration(double seconds);

/// The text with question marks for bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace gothic::files
