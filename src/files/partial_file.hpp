#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace gothic::files {

/// A file cannot be written, e.g. because the disk is full. what() names the file.
struct WriteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The names of a file that appears under its own only when it is complete. Everything goes to
/// "NAME.partial" in the same folder; commit() moves that to NAME, replacing what was there. Until
/// then, whatever happens, an old file of that name stays as it was. One writer at a time per name.
class PartialFile {
 public:
  /// Throws InputError if the folder does not exist or may not be written to.
  explicit PartialFile(std::filesystem::path path);
  /// Removes the unfinished file if commit() was not reached.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& partial() const { return partial_; }

  /// Waits until the file, which must be closed, is on the disk and gives it its name. Throws
  /// WriteError.
  /// \param previous name for the old file of that name, if there is one; empty: it is replaced
  void commit(const std::filesystem::path& previous = {});

  /// Throws WriteError.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  std::filesystem::path path_, partial_;
};

}  // namespace gothic::files
