#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <ostream>
#include <type_traits>
#include <vector>

#include "core/device/device.hpp"
#include "core/device/own_device.hpp"

/// What tests need that run on every device.
namespace gothic::test {

/// A kind of device with a number of threads, as the parameter of typed tests.
template <DeviceType D, int threads>
struct DeviceCase {
  using Device = D;
  static Device make(int number = threads, const BlockSizes& blocks = {}) {
    return Device({.threads = number, .blocks = blocks});
  }
};

/// The devices that typed tests run on: the compiler's device, on a CPU with one thread and with
/// two.
using Devices =
    std::conditional_t<OwnDevice::is_host,
                       ::testing::Types<DeviceCase<OwnDevice, 1>, DeviceCase<OwnDevice, 2>>,
                       ::testing::Types<DeviceCase<OwnDevice, 1>>>;

/// Fixture of typed tests: a device, and the number of its lanes.
template <class Case>
class OnDevice : public ::testing::Test {
 protected:
  using Device = typename Case::Device;
  using Warp = typename Device::Warp;
  static constexpr int width = Warp::width;

  Device device = Case::make();

  /// Sizes at which loops over warps, parts of threads and empty arrays may go wrong.
  static std::vector<std::size_t> sizes() {
    constexpr std::size_t w = width;
    return {0, 1, w - 1, w, w + 1, 2 * w, 1000, 2048, 4095, 4096, 4097, 8193, 1000000};
  }
};

template <class Device, class T>
typename Device::template Buffer<T> to_device(const std::vector<T>& host) {
  typename Device::template Buffer<T> buffer(host.size());
  buffer.upload(host);
  return buffer;
}

template <class Buffer>
auto to_host(const Buffer& buffer) {
  return buffer.downloaded();
}

/// 0, 1, ... n - 1.
inline std::vector<std::uint32_t> numbers(std::size_t n) {
  std::vector<std::uint32_t> result(n);
  std::iota(result.begin(), result.end(), 0U);
  return result;
}

}  // namespace gothic::test

namespace gothic {

/// How GoogleTest shows a Vec4.
inline std::ostream& operator<<(std::ostream& out, const Vec4& v) {
  return out << '(' << v.x << ", " << v.y << ", " << v.z << ", " << v.w << ')';
}

}  // namespace gothic
