#include "files/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "files/error.hpp"

namespace gothic::files {

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FolderLock::take(const std::filesystem::path& folder) {
  if (descriptor_ >= 0) return;
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) return;
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw InputError(folder.string() +
                     ": another run is writing to this folder; wait for it to end, or choose "
                     "another --output");
  }
}

}  // namespace gothic::files
