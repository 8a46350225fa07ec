#include "files/partial_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "files/error.hpp"

namespace gothic::files {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// Waits until a file or a folder's list of names is on the disk. False, with errno set, if that
/// fails.
bool synchronise(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return done;
}

}  // namespace

PartialFile::PartialFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial") {
  const std::filesystem::path folder = folder_of(path_);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw InputError(path_.string() + ": output: the folder " + folder.string() +
                     " does not exist; create it first");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw InputError(path_.string() + ": output: the folder " + folder.string() +
                     " cannot be written to (" + std::strerror(errno) + "); choose another");
  }
  if (std::filesystem::is_directory(path_, ignored)) {
    throw InputError(path_.string() + ": output: is a folder; give the name of a file");
  }
}

PartialFile::~PartialFile() {
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void PartialFile::commit(const std::filesystem::path& previous) {
  std::error_code error;
  if (!synchronise(partial_)) error.assign(errno, std::generic_category());
  std::error_code ignored;
  if (!error && !previous.empty() && std::filesystem::exists(path_, ignored)) {
    std::filesystem::rename(path_, previous, error);
  }
  if (!error) std::filesystem::rename(partial_, path_, error);
  if (error) fail(error.message());
  synchronise(folder_of(path_));
}

void PartialFile::fail(const std::string& reason) const {
  throw WriteError(path_.string() + ": cannot be written: " + reason +
                   "; free some space or choose another place");
}

}  // namespace gothic::files
