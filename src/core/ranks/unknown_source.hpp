#pragma once

#include <cstdint>
#include <limits>

#include "core/device/arrays.hpp"
#include "core/device/vec4.hpp"

/// What is missing of the trees of others is noticed: a walk that opens a cell whose children or
/// particles are not there meets a source of unknown mass.
namespace gothic {

/// The source that makes a force NaN.
inline Vec4 unknown_source() { return {0, 0, 0, std::numeric_limits<float>::quiet_NaN()}; }

/// Whether the walk for a target met that source.
GOTHIC_HD inline bool is_lacking(const Vec4& acceleration) {
  return !(acceleration.w == acceleration.w);
}

/// How many targets met it.
/// \param acceleration of the particles, targets [count]
template <class Device>
std::uint32_t count_lacking(const Device& device, const Vec4* acceleration,
                            const std::uint32_t* targets, std::uint32_t count) {
  return count_chosen(device, count, [=] GOTHIC_DEVICE(std::uint32_t k) {
    return is_lacking(acceleration[targets[k]]);
  });
}

/// Lists those that met it.
/// \param listed result
/// \returns their number
template <class Device>
std::uint32_t list_lacking(const Device& device, const Vec4* acceleration,
                           const std::uint32_t* targets, std::uint32_t count,
                           typename Device::template Buffer<std::uint32_t>& listed) {
  list_chosen(
      device, count,
      [=] GOTHIC_DEVICE(std::uint32_t k) { return is_lacking(acceleration[targets[k]]); }, listed);
  std::uint32_t* const out = listed.data();
  device.for_each(listed.size(), [=] GOTHIC_DEVICE(std::size_t i) { out[i] = targets[out[i]]; });
  return std::uint32_t(listed.size());
}

}  // namespace gothic
