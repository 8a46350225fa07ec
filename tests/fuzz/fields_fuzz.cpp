#include <cmath>

#include "files/field_file.hpp"
#include "fuzz.hpp"

/// The input is the text of a file for --external.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  constexpr std::size_t most = 8;
  const std::filesystem::path path = fuzz::put("fields.toml", {data, size});
  fuzz::read_or_refuse([&] {
    const files::FieldFile file = files::read_field_file(path, most);
    if (file.potentials.empty() || file.potentials.size() > most)
      fuzz::lost("a bad number of them");
    for (const files::FieldPotential& potential : file.potentials) {
      const auto good = [](double value) { return std::isfinite(value) && value >= 0; };
      if (!good(potential.mass) || !good(potential.scale) || !good(potential.height) ||
          !good(potential.speed) || !good(potential.flattening)) {
        fuzz::lost("a bad number was taken");
      }
    }
  });
  return 0;
}
