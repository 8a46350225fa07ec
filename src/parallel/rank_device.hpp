#pragma once

#include <future>

#include "core/device/device_choice.hpp"
#include "parallel/world.hpp"

namespace gothic::parallel {

/// The device of this rank. If any GPU will do, the ranks of a machine get its GPUs in turn. If
/// ranks have cores in common, each gets an equal part of them as threads; a number of threads that
/// the user gives, also by OMP_NUM_THREADS, stays. All ranks must call it.
DeviceChoice rank_device(DeviceChoice asked, World& world);

/// Starts the device beside what comes next, while no rank but this one could choose it; see
/// start_device().
std::future<void> start_own_device(const DeviceChoice& asked, World& world);

}  // namespace gothic::parallel
