#pragma once

/// \file
/// OwnDevice is the device of the compiler at work. Sources that include this file are compiled
/// once for each device (gothic_sources_for_devices in cmake/Devices.cmake).
#ifdef __CUDACC__
#include "core/device/cuda/device.cuh"
namespace gothic {
using OwnDevice = cuda::Device;
}
#else
#include "core/device/cpu/device.hpp"
namespace gothic {
using OwnDevice = cpu::Device;
}
#endif
