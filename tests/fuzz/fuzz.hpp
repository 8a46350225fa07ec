#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "files/error.hpp"

/// Helpers of the fuzz targets: files made from a fuzzer's bytes, and a check of what readers do
/// with them. A target is one source file with LLVMFuzzerTestOneInput.
namespace gothic::fuzz {

/// The input of a target.
using Bytes = std::span<const std::uint8_t>;

/// Takes numbers from the bytes of an input, one after the other; zeros when there are no more.
class Choices {
 public:
  explicit Choices(Bytes bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  /// A number 0 ... count - 1.
  std::size_t below(std::size_t count) { return byte() % count; }
  bool once_in(std::size_t count) { return below(count) == count - 1; }
  bool empty() const { return bytes_.empty(); }

 private:
  Bytes bytes_;
};

/// A folder for this process, emptied for every input.
inline const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    std::filesystem::path made =
        std::filesystem::temp_directory_path() / ("gothic-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(made);
    static const std::filesystem::path kept = made;
    std::atexit([] { std::filesystem::remove_all(kept); });
    return made;
  }();
  return path;
}

/// Makes a file of the folder and returns its path.
inline std::filesystem::path put(const std::string& name, Bytes bytes) {
  std::filesystem::path path = folder() / name;
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  return path;
}

[[noreturn]] inline void lost(const std::string& why) {
  std::fprintf(stderr, "fuzz: %s\n", why.c_str());
  std::abort();
}

/// The message about a refused input must be one line with a name and a remedy: "NAME: what is
/// wrong; remedy". Control characters come from the input itself.
inline void check_message(std::string_view message) {
  if (message.empty() || message.find(": ") == message.npos || message.find("; ") == message.npos) {
    lost("not a message: " + std::string(message));
  }
}

/// Calls `read`, which may succeed or throw InputError and nothing else.
template <class Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    check_message(error.what());
  } catch (const std::bad_alloc&) {
    lost("out of memory");
  } catch (const std::exception& error) {
    lost(std::string("an error of another kind: ") + error.what());
  }
}

}  // namespace gothic::fuzz

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
