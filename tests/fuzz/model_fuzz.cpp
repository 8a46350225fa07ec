#include <cmath>

#include "fuzz.hpp"
#include "ic/model.hpp"

/// The input is the text of a galaxy model. A line "#table" starts a second file, the density table
/// "table.txt" that the model may name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  constexpr std::string_view separator = "#table\n";
  const fuzz::Bytes bytes(data, size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find(separator), size);
  fuzz::put("table.txt", bytes.subspan(std::min(end + separator.size(), size)));
  const std::filesystem::path path = fuzz::put("model.toml", bytes.first(end));
  fuzz::read_or_refuse([&] {
    const ic::Model model = ic::read_model(path);
    if (model.components.empty()) fuzz::lost("a model without components was taken");
    for (const ic::Component& component : model.components) {
      if (!(std::isfinite(component.mass) && component.mass > 0))
        fuzz::lost("a bad mass was taken");
      if (component.name.empty()) fuzz::lost("a component without a name was taken");
    }
  });
  return 0;
}
