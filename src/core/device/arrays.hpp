#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device/combine.hpp"
#include "core/device/device.hpp"

/// Simple work on arrays of a device.
namespace gothic {

/// Values of the host where a device can read them: where they are, or a copy.
template <class Device, class T>
class FromHost {
 public:
  explicit FromHost(std::span<const T> values) : values_(values.data()) {
    if constexpr (!Device::is_host) {
      copy_.resize(values.size());
      copy_.upload(values);
      values_ = copy_.data();
    }
  }
  const T* data() const { return values_; }

 private:
  typename Device::template Buffer<T> copy_;
  const T* values_;
};

/// Sets n values.
template <class Device, class T>
void fill(const Device& device, T* values, std::size_t n, T value) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { values[i] = value; });
}

/// Writes 0, 1, ... n - 1.
template <class Device>
void list_all(const Device& device, std::uint32_t* values, std::size_t n) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { values[i] = std::uint32_t(i); });
}

/// Writes the inverse of a permutation of 0, 1, ... n - 1: i to place permutation[i].
template <class Device>
void invert(const Device& device, const std::uint32_t* permutation, std::size_t n,
            std::uint32_t* inverse) {
  device.for_each(n,
                  [=] GOTHIC_DEVICE(std::size_t i) { inverse[permutation[i]] = std::uint32_t(i); });
}

/// Copies n values.
template <class Device, class T>
void copy(const Device& device, const T* from, std::size_t n, T* to) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { to[i] = from[i]; });
}

/// Copies n values, of which each is `stride` places behind the one before.
template <class Device, class T>
void copy_every(const Device& device, const T* from, std::size_t stride, std::size_t n, T* to) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { to[i] = from[i * stride]; });
}

/// Copies value order[i] to place i.
/// \param order [n]
template <class Device, class T>
void copy_in_order(const Device& device, const T* from, const std::uint32_t* order, std::size_t n,
                   T* to) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { to[i] = from[order[i]]; });
}

/// The values at some places of the device, on the host.
/// \param places [n]
template <class Device, class T>
std::vector<T> downloaded_from(const Device& device, const T* values, const std::uint32_t* places,
                               std::size_t n) {
  typename Device::template Buffer<T> chosen(n);
  copy_in_order(device, values, places, n, chosen.data());
  return chosen.downloaded();
}

/// Copies value i to place places[i].
/// \param places [n]
template <class Device, class T>
void copy_to_places(const Device& device, const T* from, const std::uint32_t* places, std::size_t n,
                    T* to) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { to[places[i]] = from[i]; });
}

/// How many of 0, 1, ... n - 1 are chosen.
template <class Device, class Predicate>
std::uint32_t count_chosen(const Device& device, std::size_t n, Predicate is_chosen) {
  return device.reduce(
      n, 0U, [=] GOTHIC_DEVICE(std::size_t i) { return is_chosen(std::uint32_t(i)) ? 1U : 0U; },
      Sum{});
}

/// Lists the chosen numbers among 0, 1, ... n - 1, ascending.
/// \param chosen result
template <class Device, class Predicate>
void list_chosen(const Device& device, std::size_t n, Predicate is_chosen,
                 typename Device::template Buffer<std::uint32_t>& chosen) {
  chosen.resize(count_chosen(device, n, is_chosen));
  if (chosen.size() > 0) device.select(n, is_chosen, chosen.data());
}

/// Raises the flags of some elements, none of which is there twice.
/// \param elements [n]
template <class Device>
void raise_flags(const Device& device, const std::uint32_t* elements, std::size_t n,
                 std::uint8_t* flags) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { flags[elements[i]] = 1; });
}

}  // namespace gothic
