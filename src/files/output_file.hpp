#pragma once

#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

#include "files/hdf5.hpp"

namespace gothic::files {

/// Locks a folder for one process, so that two processes do not write the same files. The system
/// releases the lock when the process ends, in whatever way. The lock is advisory: it stops only
/// programs that ask for it.
class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Locks the folder unless it is locked already. Does nothing if the folder does not exist or is
  /// on a file system without locks.
  /// \throws InputError if another process has the lock
  void take(const std::filesystem::path& folder);

 private:
  int descriptor_ = -1;
};

/// A file cannot be written, e.g. because the disk is full. what() names the file.
struct WriteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Makes a folder, and those above it, where they are missing.
/// \throws InputError if one cannot be made
void make_folder(const std::filesystem::path& folder);

/// Bytes that this user may still write to the disk where a path is, or will be; nothing if that is
/// not known.
std::optional<double> free_space(const std::filesystem::path& path);

/// Throws WriteError where a file of so many bytes does not fit on its disk.
void require_space(const std::filesystem::path& path, double bytes);

/// The name of a file while it is written: NAME.partial.
std::filesystem::path partial_path(const std::filesystem::path& path);

/// The names of a file that appears as NAME only when it is complete. Everything goes to
/// "NAME.partial" in the same folder; commit() renames this file to NAME and replaces an old file.
/// Until then, whatever happens, the old file stays as it was. A name must have one writer at a
/// time.
class PartialFile {
 public:
  /// Makes the folder if it is missing. Throws InputError if it cannot be made or written to.
  explicit PartialFile(std::filesystem::path path);
  /// Removes the unfinished file if commit() was not reached.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& partial() const { return partial_; }

  /// Waits until the file, which must be closed, is on the disk, and gives it its name. Throws
  /// WriteError.
  /// \param previous name that an old file gets; empty: the old file is replaced
  void commit(const std::filesystem::path& previous = {});

  /// Throws WriteError.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  std::filesystem::path path_, partial_;
};

/// A file of text or bytes that appears under its name only when it is complete: see PartialFile.
class ByteFile {
 public:
  /// Throws InputError or WriteError if the file cannot be made.
  explicit ByteFile(std::filesystem::path path);

  std::ostream& out() { return out_; }

  /// Throws WriteError if some of what went to out() could not be written.
  void check() const;

  /// Throws WriteError unless all that went to out() has reached the file.
  void close();

  /// Closes the file and gives it its name. Throws WriteError.
  void commit();

 private:
  PartialFile names_;
  std::ofstream out_;
};

/// An HDF5 file that appears under its name only when it is complete: see PartialFile.
class OutputFile {
 public:
  /// Makes the folder if it is missing. Throws InputError if it cannot be made or written to.
  /// \param user_block bytes at the start of the file that are not HDF5's: 0, 512, 1024, 2048, ...
  explicit OutputFile(std::filesystem::path path, std::size_t user_block = 0);
  /// Removes the unfinished file if commit() was not reached.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  hid_t id() const { return file_.id(); }
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
