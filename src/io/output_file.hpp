#pragma once

#include <hdf5.h>

#include <filesystem>
#include <stdexcept>

#include "io/hdf5.hpp"

namespace gothic::io {

/// A file cannot be written, e.g. because the disk is full. what() names the file.
struct WriteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An HDF5 file that appears under its name only when it is complete. Everything goes to
/// "NAME.partial" in the same folder; commit() moves that to NAME, replacing what was there. Until
/// then, whatever happens, an old file of that name stays as it was. One writer at a time per name.
class OutputFile {
 public:
  /// Throws InputError if the folder does not exist or may not be written to.
  explicit OutputFile(std::filesystem::path path);
  /// Removes the unfinished file if commit() was not reached.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  hid_t id() const { return file_.id(); }
  const std::filesystem::path& path() const { return path_; }

  /// Hands everything written so far to the operating system, so that a reader can open the
  /// unfinished file.
  void flush();

  /// Closes the file, waits until it is on the disk and gives it its name. Throws WriteError.
  void commit();

  /// Runs `action`, turning HDF5 failures into a WriteError that names the file.
  template <class Action>
  void guard(Action&& action) const {
    try {
      action();
    } catch (const hdf5::Failure& failure) {
      fail(failure.what());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const;
  void discard();

  std::filesystem::path path_;
  std::filesystem::path partial_;
  hdf5::Handle file_;
};

}  // namespace gothic::io
