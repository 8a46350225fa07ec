#pragma once

#include <bit>
#include <cstdint>

#include "core/device/annotations.hpp"

/// What `<bit>` offers, for the GPU as well: nvcc compiles the standard library's functions for it
/// without a word, and they return something else there.
namespace gothic {

/// Number of bits that x needs: 1 + floor(log2(x)), 0 for 0.
GOTHIC_HD inline int bit_width(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return 64 - __clzll(static_cast<long long>(x));
#else
  return int(std::bit_width(x));
#endif
}

/// Number of zero bits below the lowest that is set, 64 for 0.
GOTHIC_HD inline int countr_zero(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return x == 0 ? 64 : __ffsll(static_cast<long long>(x)) - 1;
#else
  return std::countr_zero(x);
#endif
}

/// The bits of a number.
GOTHIC_HD inline std::uint32_t bits_of(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  return std::bit_cast<std::uint32_t>(x);
#endif
}

}  // namespace gothic
