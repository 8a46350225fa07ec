#pragma once

#include "core/engine/engine.hpp"
#include "parallel/world.hpp"

namespace gothic::parallel {

/// The device of this rank: where any GPU will do, those of a machine in turn; of cores that ranks
/// share, an equal part. A number of threads that is asked for, also by OMP_NUM_THREADS, stays.
/// All ranks must call it.
DeviceChoice rank_device(DeviceChoice asked, World& world);

}  // namespace gothic::parallel
