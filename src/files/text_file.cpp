#include "files/text_file.hpp"

#include <fstream>
#include <system_error>

#include "files/error.hpp"

namespace gothic::files {

std::string read_text(const std::filesystem::path& path, const std::string& field) {
  const auto fail = [&](const std::string& problem) {
    throw InputError(path.string() + ": " + field + ": " + problem);
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const std::string unreadable = "there is no such file or it cannot be read; check the name";
  if (!std::filesystem::exists(status)) fail(unreadable);
  if (std::filesystem::is_directory(status)) fail("is a folder; give the name of a file");
  if (!std::filesystem::is_regular_file(status)) {
    fail("is a device or a pipe; give the name of a file");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(path);
  if (bytes > longest_text) {
    fail("has " + std::to_string(bytes) + " bytes, and at most " + std::to_string(longest_text) +
         " are read; give the name of a text file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(unreadable);
  std::string text(bytes, '\0');
  in.read(text.data(), std::streamsize(bytes));
  text.resize(std::size_t(in.gcount()));
  return text;
}

}  // namespace gothic::files
