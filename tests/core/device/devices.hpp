#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <ostream>
#include <vector>

#include "core/device/device.hpp"

#ifdef __CUDACC__
#include "core/device/cuda/device.cuh"
#else
#include "core/device/cpu/device.hpp"
#endif

/// What tests need that run on every device.
namespace gothic::test {

/// A kind of device with a number of threads, as the parameter of typed tests.
template <DeviceType D, int threads>
struct DeviceCase {
  using Device = D;
  static Device make(int number = threads) { return Device(number); }
};

#ifdef __CUDACC__
/// The GPU, which knows no number of threads.
struct GpuCase {
  using Device = cuda::Device;
  static Device make(int = 1) { return Device(0); }
};
using Devices = ::testing::Types<GpuCase>;
#else
/// The devices that typed tests run on, one line each. Tests that nvcc compiles run on the GPU.
using Devices = ::testing::Types<  //
    DeviceCase<cpu::Device, 1>,    //
    DeviceCase<cpu::Device, 2>>;
#endif

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
