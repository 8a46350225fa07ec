#pragma once

#include <hdf5.h>

#include <filesystem>

#include "files/hdf5.hpp"
#include "files/partial_file.hpp"

namespace gothic::files {

/// An HDF5 file that appears under its name only when it is complete: see PartialFile.
class OutputFile {
 public:
  /// Throws InputError if the folder does not exist or may not be written to.
  /// \param user_block bytes at the start of the file that are not HDF5's: 0, 512, 1024, 2048, ...
  explicit OutputFile(std::filesystem::path path, std::size_t user_block = 0);
  /// Removes the unfinished file if commit() was not reached.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  hid_t id() const { return file_.id(); }
  const std::filesystem::path& path() const { return names_.path(); }
  const std::filesystem::path& partial() const { return names_.partial(); }

  /// Hands everything written so far to the operating system, so that a reader can open the
  /// unfinished file.
  void flush();

  /// Closes the file. Throws WriteError.
  void close();

  /// Closes the file, waits until it is on the disk and gives it its name. Throws WriteError.
  /// \param previous see PartialFile::commit
  void commit(const std::filesystem::path& previous = {});

  /// Runs `action`, turning HDF5 failures into a WriteError that names the file.
  template <class Action>
  void guard(Action&& action) const {
    try {
      action();
    } catch (const hdf5::Failure& failure) {
      names_.fail(failure.what());
    }
  }

 private:
  PartialFile names_;  // first: the file is closed before it is removed
  hdf5::Handle file_;
};

}  // namespace gothic::files
