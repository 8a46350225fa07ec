#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"

namespace gothic {

/// A permutation of the words whose every bit depends on every bit: the finaliser of MurmurHash3
/// with the constants of SplitMix64 (Stafford's mix 13; Steele, Lea & Flood 2014).
GOTHIC_HD inline std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

/// A number that looks random and is always the same for an ID: SplitMix64 with the ID as its
/// state. The constant is the odd number nearest to 2^64 over the golden ratio.
GOTHIC_HD inline std::uint64_t scrambled(std::uint64_t id) {
  return mixed(id + 0x9e3779b97f4a7c15ULL);
}

}  // namespace gothic
