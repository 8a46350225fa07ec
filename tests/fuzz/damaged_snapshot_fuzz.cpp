#include "particles.hpp"

/// The input is a file in HDF5, or what is left of one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  const std::filesystem::path path = fuzz::put("s.h5", {data, size});
  fuzz::read_or_refuse([&] { fuzz::check_snapshot(files::read_snapshot(path)); });
  return 0;
}
