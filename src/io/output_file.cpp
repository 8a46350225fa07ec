#include "io/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/error.hpp"

namespace gothic::io {
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

hdf5::Handle create(const std::filesystem::path& path) {
  const hdf5::Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "file");
  hdf5::check(H5Pset_obj_track_times(creation.id(), false), "file");
  const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file");
  hdf5::check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), "file");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, "file"};
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial") {
  hdf5::silence();
  const std::filesystem::path folder = folder_of(path_);
  if (!std::filesystem::is_directory(folder)) {
    throw InputError(path_.string() + ": output: the folder " + folder.string() +
                     " does not exist; create it first");
  }
  if (std::filesystem::is_directory(path_)) {
    throw InputError(path_.string() + ": output: is a folder; give the name of a file");
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    throw InputError(path_.string() + ": output: the folder " + folder.string() +
                     " cannot be written to (" + std::strerror(errno) + "); choose another");
  }
  try {
    guard([&] { file_ = create(partial_); });
  } catch (...) {
    discard();
    throw;
  }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::flush() {
  guard([&] { hdf5::check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "flushing"); });
}

void OutputFile::commit() {
  guard([&] {
    hdf5::check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "flushing");
    hdf5::check(H5Fclose(file_.release()), "closing");
  });
  std::error_code error;
  if (!synchronise(partial_)) error.assign(errno, std::generic_category());
  if (!error) std::filesystem::rename(partial_, path_, error);
  if (error) {
    discard();
    fail(error.message());
  }
  synchronise(folder_of(path_));
}

void OutputFile::fail(const std::string& reason) const {
  throw WriteError(path_.string() + ": cannot be written: " + reason +
                   "; free some space or choose another place");
}

void OutputFile::discard() {
  std::error_code ignored;
  // Where the disk is full this makes room for what the library still insists on writing.
  std::filesystem::resize_file(partial_, 0, ignored);
  file_ = hdf5::Handle();
  std::filesystem::remove(partial_, ignored);
}

}  // namespace gothic::io
