#pragma once

#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gothic {

/// Wrong usage or wrong input, which the user can correct. what() is one line,
/// "FILE: FIELD: what is wrong; remedy". Programs print it and exit with status 2.
struct InputError : std::runtime_error {
  explicit InputError(std::string message) : std::runtime_error(one_line(std::move(message))) {}

 private:
  /// Replaces control characters, which words of the input may contain, by question marks.
  static std::string one_line(std::string text) {
    constexpr char space = ' ', rubout = '\x7f';
    const auto spoils = [](char c) { return static_cast<unsigned char>(c) < space || c == rubout; };
    std::ranges::replace_if(text, spoils, '?');
    return text;
  }
};

/// The message for a failed allocation: about the host's memory, or the text of the device.
inline std::string out_of_memory_message(const std::bad_alloc& failure) {
  const bool of_the_host = std::string_view(failure.what()) == std::bad_alloc().what();
  return of_the_host ? "out of memory; use fewer particles or a machine with more" : failure.what();
}

/// The message for a path that the system does not let us use.
inline std::string bad_path_message(const std::filesystem::filesystem_error& error) {
  return error.path1().string() + ": cannot be used (" + error.code().message() +
         "); check the path and its permissions";
}

}  // namespace gothic
