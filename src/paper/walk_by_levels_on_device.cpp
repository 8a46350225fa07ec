#include "core/device/own_device.hpp"
#include "paper/walk_by_levels.hpp"

namespace gothic {

template <>
void walk_by_levels(const OwnDevice& device, Root root, const WalkData& data,
                    const BreadthFirst& way) {
  walk_with<OwnDevice>(root, data, [&]<int K, Root known_root, Order order>() {
    walk_groups<K, known_root, order, Lengths::equal>(device, data, way);
  });
}

}  // namespace gothic
