#pragma once

#include <string>

#include "core/device/launch_sizes.hpp"

namespace gothic {

/// Which device, and how much of it.
struct DeviceChoice {
  std::string name =
      "auto";              ///< word of a kind in all_devices.hpp, with ":N" for the N-th; or auto
  int threads = 0;         ///< of the CPU; 0 for all that the process may use
  BlockSizes blocks = {};  ///< of a GPU's kernels
};

}  // namespace gothic
