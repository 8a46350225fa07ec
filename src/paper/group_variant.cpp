#include "paper/group_variant.hpp"

namespace gothic {

/// Compiled for each device.
template <class Device>
std::unique_ptr<Grouping<Device>> make_grouping(const GroupVariant& variant);

std::shared_ptr<const GroupingMaker> grouping(const GroupVariant& variant) {
  if (variant == GroupVariant{}) return nullptr;
  return std::make_shared<const GroupingMaker>(
      [=]<class Device>() { return make_grouping<Device>(variant); });
}

}  // namespace gothic
