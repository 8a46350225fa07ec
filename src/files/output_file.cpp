#include "files/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "files/error.hpp"
#include "files/text.hpp"

namespace gothic::files {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// Waits until a file, or a folder's list of names, is on the disk. Returns false, with errno set,
/// on failure.
bool synchronise(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return done;
}

hdf5::Handle create(const std::filesystem::path& path, std::size_t user_block) {
  const hdf5::Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "file");
  hdf5::check(H5Pset_userblock(creation.id(), user_block), "file");
  hdf5::check(H5Pset_obj_track_times(creation.id(), false), "file");
  const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file");
  hdf5::check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), "file");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, "file"};
}

}  // namespace

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
                     "another one");
  }
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string() + ": the folder cannot be made (" + error.message() +
                     "); choose another one");
  }
}

std::optional<double> free_space(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path existing = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(existing, error) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  const std::filesystem::space_info space = std::filesystem::space(existing, error);
  if (error) return {};
  return double(space.available);
}

void require_space(const std::filesystem::path& path, double needed) {
  const auto free = free_space(path);
  if (!free || needed <= *free) return;
  throw WriteError(path.string() + ": " + bytes(needed) + " are needed and " + bytes(*free) +
                   " are free; free some space or choose another place");
}

std::filesystem::path partial_path(const std::filesystem::path& path) {
  return path.string() + ".partial";
}

PartialFile::PartialFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(partial_path(path_)) {
  const std::filesystem::path folder = folder_of(path_);
  std::error_code ignored;
  make_folder(folder);
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

ByteFile::ByteFile(std::filesystem::path path)
    : names_(std::move(path)), out_(names_.partial(), std::ios::binary) {
  check();
}

void ByteFile::check() const {
  if (!out_) names_.fail(std::strerror(errno));
}

void ByteFile::close() {
  if (out_.is_open()) out_.close();
  check();
}

void ByteFile::commit() {
  close();
  names_.commit();
}

OutputFile::OutputFile(std::filesystem::path path, std::size_t user_block)
    : names_(std::move(path)) {
  hdf5::silence();
  guard([&] { file_ = create(names_.partial(), user_block); });
}

OutputFile::~OutputFile() {
  // If the disk is full, this makes room for what the library still has to write.
  std::error_code ignored;
  std::filesystem::resize_file(names_.partial(), 0, ignored);
}

void OutputFile::flush() {
  guard([&] { hdf5::check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "flushing"); });
}

void OutputFile::close() {
  if (file_.id() < 0) return;
  guard([&] {
    hdf5::check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "flushing");
    hdf5::check(H5Fclose(file_.release()), "closing");
  });
}

void OutputFile::commit(const std::filesystem::path& previous) {
  close();
  names_.commit(previous);
}

}  // namespace gothic::files
