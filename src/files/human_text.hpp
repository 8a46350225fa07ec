#pragma once

#include <string>

/// Numbers as readers like them.
namespace gothic::files {

/// printf of one number; ? where it is not finite.
std::string formatted(const char* format, double value);

/// Three digits with the SI prefix that keeps them short, as in 12.3 M.
std::string with_prefix(double value);

/// The two largest units of a time in seconds, as in 1 h 02 min; in 1.25 s and 3.4 ms one.
std::string duration(double seconds);

}  // namespace gothic::files
