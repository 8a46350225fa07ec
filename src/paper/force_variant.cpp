#include "paper/force_variant.hpp"

namespace gothic {

/// Compiled for each device.
template <class Device>
std::unique_ptr<Variation<Device>> make_variation(const ForceVariant& variant);

std::shared_ptr<const VariationMaker> variation(const ForceVariant& variant) {
  if (variant == ForceVariant{}) return nullptr;
  return std::make_shared<const VariationMaker>(
      [=]<class Device>() { return make_variation<Device>(variant); });
}

}  // namespace gothic
