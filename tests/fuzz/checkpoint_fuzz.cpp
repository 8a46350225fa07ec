#include <zlib.h>

#include <vector>

#include "files/checkpoint.hpp"
#include "fuzz.hpp"

namespace gothic::fuzz {
namespace {

/// A checkpoint with this HDF5 part and the seal that fits it.
std::vector<std::uint8_t> sealed(Bytes content) {
  constexpr std::size_t seal_bytes = 512;
  std::string seal = "GOTHIC checkpoint 1\ncrc32 " +
                     std::to_string(crc32(0, content.data(), static_cast<uInt>(content.size()))) +
                     "\nbytes " + std::to_string(content.size()) + "\n";
  seal.resize(seal_bytes, '\0');
  std::vector<std::uint8_t> file(seal.begin(), seal.end());
  file.insert(file.end(), content.begin(), content.end());
  return file;
}

void check(const files::Checkpoint& checkpoint) {
  const files::SimulationState& state = checkpoint.state;
  const files::Particles& particles = checkpoint.snapshot.particles;
  const std::size_t n = particles.size();
  for (const std::size_t size :
       {particles.mass.size(), particles.type.size(), particles.component.size(),
        state.position.size(), state.velocity.size(), state.acceleration.size(), state.level.size(),
        state.slot.size(), state.keys.size()}) {
    if (size != n) lost("arrays of different lengths");
  }
}

}  // namespace
}  // namespace gothic::fuzz

/// The input is the HDF5 part of a checkpoint, which gets the right checksum, or a whole one that
/// starts as they do.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  const fuzz::Bytes bytes(data, size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path path = text.starts_with("GOTHIC")
                                         ? fuzz::put("checkpoint.h5", bytes)
                                         : fuzz::put("checkpoint.h5", fuzz::sealed(bytes));
  fuzz::read_or_refuse([&] { fuzz::check(files::read_checkpoint(path)); });
  return 0;
}
