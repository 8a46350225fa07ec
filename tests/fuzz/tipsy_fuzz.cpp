#include "files/tipsy.hpp"
#include "particles.hpp"

/// The input's first byte is the length of the file of units, which follows, and then the
/// particles.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  const fuzz::Bytes bytes(data, size);
  if (bytes.empty()) return 0;
  const std::size_t units = std::min<std::size_t>(bytes[0], size - 1);
  std::filesystem::remove(fuzz::folder() / "t.param");
  if (units > 0) fuzz::put("t.param", bytes.subspan(1, units));
  const std::filesystem::path path = fuzz::put("t", bytes.subspan(1 + units));
  fuzz::read_or_refuse([&] { fuzz::check_snapshot(files::read_tipsy(path)); });
  return 0;
}
