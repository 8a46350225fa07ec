#pragma once

#include "core/gravity/pair.hpp"
#include "core/gravity/walk_data.hpp"

namespace gothic {

/// Number of bundles that so many groups make.
template <int B>
constexpr std::uint32_t bundle_count(std::uint32_t groups) {
  return (groups + B - 1) / B;
}

/// Forces on all targets by the walk that suits the device: of bundles of groups on the CPU, of
/// single groups on a GPU. Compiled once for each device, in walk_cpu.cpp and walk_cuda.cu.
template <class Device>
void walk(const Device& device, Root root, const WalkData& data);

}  // namespace gothic
