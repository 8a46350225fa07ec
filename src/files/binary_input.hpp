#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include "files/error.hpp"
#include "files/input_file.hpp"

namespace gothic::files {

/// A file of plain numbers in either byte order. Its errors are InputErrors "FILE: FIELD: ...".
class BinaryInput {
 public:
  explicit BinaryInput(const std::filesystem::path& path) : path_(path) {
    require_readable(path);
    in_.open(path, std::ios::binary);
    bytes_ = std::filesystem::file_size(path);
  }

  [[noreturn]] void fail(const std::string& field, const std::string& problem) const {
    throw InputError(path_.string() + ": " + field + ": " + problem);
  }

  const std::filesystem::path& path() const { return path_; }
  /// Length of the file.
  std::size_t bytes() const { return bytes_; }
  /// Whether this machine has the other byte order.
  void set_reversed(bool reversed) { reversed_ = reversed; }
  bool reversed() const { return reversed_; }

  /// Whether so many bytes are there.
  bool has(std::size_t at, std::size_t count) const { return at <= bytes_ && count <= bytes_ - at; }

  /// The bytes [at, at + count).
  std::vector<char> read(std::size_t at, std::size_t count) {
    std::vector<char> bytes;
    if (has(at, count)) {
      bytes.resize(count);
      in_.clear();
      in_.seekg(static_cast<std::streamoff>(at));
      if (in_.read(bytes.data(), static_cast<std::streamsize>(count))) return bytes;
    }
    fail("input", "ends too early or cannot be read; write or copy it again");
  }

  /// The number that begins at a place.
  template <class T>
  T number(std::size_t at) {
    return number_at<T>(read(at, sizeof(T)), 0);
  }

  /// The number that begins at a place of bytes that were read.
  template <class T>
  T number_at(const std::vector<char>& bytes, std::size_t at) const {
    std::array<char, sizeof(T)> own;
    std::memcpy(own.data(), bytes.data() + at, sizeof(T));
    if (reversed_) std::ranges::reverse(own);
    return std::bit_cast<T>(own);
  }

 private:
  std::filesystem::path path_;
  std::ifstream in_;
  std::size_t bytes_ = 0;
  bool reversed_ = false;
};

}  // namespace gothic::files
