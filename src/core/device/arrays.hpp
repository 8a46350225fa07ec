#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/device.hpp"

/// Simple work on arrays of a device.
namespace gothic {

/// Sets n values.
template <class Device, class T>
void fill(const Device& device, T* values, std::size_t n, T value) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { values[i] = value; });
}

/// Copies n values.
template <class Device, class T>
void copy(const Device& device, const T* from, std::size_t n, T* to) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { to[i] = from[i]; });
}

/// Copies value order[i] to place i.
/// \param order [n]
template <class Device, class T>
void copy_in_order(const Device& device, const T* from, const std::uint32_t* order, std::size_t n,
                   T* to) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { to[i] = from[order[i]]; });
}

}  // namespace gothic
