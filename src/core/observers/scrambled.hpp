#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"

namespace gothic {

/// A number that looks random and is always the same for an ID: splitmix64 (Steele, Lea & Flood
/// 2014).
GOTHIC_HD inline std::uint64_t scrambled(std::uint64_t id) {
  std::uint64_t z = id + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace gothic
