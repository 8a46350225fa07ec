#include "core/device/cpu/device.hpp"
#include "core/gravity/walk_on.hpp"

namespace gothic {

template void walk(const cpu::Device&, Root, const WalkData&);

}  // namespace gothic
