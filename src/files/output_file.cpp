#include "files/output_file.hpp"

namespace gothic::files {
namespace {

hdf5::Handle create(const std::filesystem::path& path, std::size_t user_block) {
  const hdf5::Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "file");
  hdf5::check(H5Pset_userblock(creation.id(), user_block), "file");
  hdf5::check(H5Pset_obj_track_times(creation.id(), false), "file");
  const hdf5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file");
  hdf5::check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), "file");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, "file"};
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, std::size_t user_block)
    : names_(std::move(path)) {
  hdf5::silence();
  guard([&] { file_ = create(names_.partial(), user_block); });
}

OutputFile::~OutputFile() {
  // Where the disk is full this makes room for what the library still insists on writing.
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
