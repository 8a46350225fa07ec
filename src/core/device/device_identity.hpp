#pragma once

#include <string>

namespace gothic {

/// Which device a result comes from.
struct DeviceIdentity {
  std::string name;  ///< as its maker calls it
  /// "gpu_memory=..., driver=..., ..." of a GPU: what one of the same name need not have. Empty on
  /// the CPU, which the machine tells.
  std::string facts = {};
};

}  // namespace gothic
