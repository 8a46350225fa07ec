#include "files/snapshot_reader.hpp"
#include "particles.hpp"

/// Files of TIPSY and GADGET-2. The input's first byte is the length of the file of units, which
/// follows, and then the particles.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  const fuzz::Bytes bytes(data, size);
  if (bytes.empty()) return 0;
  const std::size_t units = std::min<std::size_t>(bytes[0], size - 1);
  std::filesystem::remove(fuzz::folder() / "t.param");
  if (units > 0) fuzz::put("t.param", bytes.subspan(1, units));
  const std::filesystem::path path = fuzz::put("t", bytes.subspan(1 + units));
  const files::Reading reading{.gas_is_collisionless = true, .ignores_box = true};
  fuzz::read_or_refuse(
      [&] { fuzz::check_snapshot(files::read_snapshot(path, files::Masses::needed, reading)); });
  return 0;
}
