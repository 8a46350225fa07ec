#include "core/device/own_device.hpp"
#include "core/gravity/walk_on.hpp"

namespace gothic {

template void walk<Lengths::equal>(const OwnDevice&, Root, const WalkData&);

}  // namespace gothic
