#include "core/device/cuda/device.cuh"
#include "core/gravity/walk_on.hpp"

namespace gothic {

template void walk(const cuda::Device&, Root, const WalkData&);

}  // namespace gothic
