#pragma once

#include <optional>
#include <string>

#include "core/device/launch_sizes.hpp"

namespace gothic {

/// Whether this build has the CUDA device.
#ifdef GOTHIC_WITH_CUDA
inline constexpr bool built_with_cuda = true;
#else
inline constexpr bool built_with_cuda = false;
#endif

/// Which device, and how much of it.
struct DeviceChoice {
  std::string name = "auto";  ///< auto, cpu, cuda or cuda:N
  int threads = 0;            ///< of the CPU; 0 for all that the process may use
  BlockSizes blocks = {};     ///< of a GPU's kernels
};

/// The number of the GPU that the choice means; nothing if it means the CPU. `auto` means the first
/// GPU where there is one that can be used.
/// \throws SettingError if there is no such device or it cannot be used
std::optional<int> chosen_gpu(const DeviceChoice& device);

/// Why GPU `number` cannot be used, to complete a sentence; empty if it can.
std::string problem_with_gpu(int number);

}  // namespace gothic
