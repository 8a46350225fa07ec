#pragma once

#include <atomic>
#include <cstdint>

#include "core/device/annotations.hpp"

namespace gothic {

/// Sets a flag that others may set at the same time.
GOTHIC_HD inline void raise(std::uint8_t& flag) {
#ifdef __CUDA_ARCH__
  flag = 1;
#else
  std::atomic_ref<std::uint8_t>(flag).store(1, std::memory_order_relaxed);
#endif
}

}  // namespace gothic
