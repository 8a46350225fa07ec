#pragma once

#include <filesystem>

namespace gothic::files {

/// Keeps a folder for one process, so that two do not write the same files. The system takes the
/// lock back when the process ends, however that happens. It is advisory: only who asks for it
/// respects it.
class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Locks the folder unless that is done. A folder that does not exist, or is on a file system
  /// without locks, is left alone.
  /// \throws InputError if another process has the lock
  void take(const std::filesystem::path& folder);

 private:
  int descriptor_ = -1;
};

}  // namespace gothic::files
