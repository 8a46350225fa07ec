#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/core/device/devices.hpp"

/// Tests of what one warp does. They give functions to it as objects with a template `run`, since
/// nvcc takes no generic lambdas.
namespace gothic::test {

/// Scratch of tasks that need none.
struct NoScratch {};

/// Has one warp run `f.run<Warp>()` and waits.
template <class Device, class F>
void on_one_warp(const Device& device, F f) {
  using Warp = typename Device::Warp;
  device.template for_each_warp<NoScratch>(
      1, [=] GOTHIC_DEVICE(NoScratch&, std::size_t) { f.template run<Warp>(); });
  device.synchronize();
}

/// Has one warp run `f.run<Warp>(scratch)` and waits.
template <class Scratch, class Device, class F>
void on_one_warp_with(const Device& device, F f) {
  using Warp = typename Device::Warp;
  device.template for_each_warp<Scratch>(
      1, [=] GOTHIC_DEVICE(Scratch & scratch, std::size_t) { f.template run<Warp>(scratch); });
  device.synchronize();
}

/// The n elements, `before` at first, after one warp has run `f.run<Warp>(elements)`.
template <class T, class Device, class F>
std::vector<T> written(const Device& device, std::size_t n, const T& before, F f) {
  using Warp = typename Device::Warp;
  auto elements = to_device<Device>(std::vector<T>(n, before));
  T* const out = elements.data();
  device.template for_each_warp<NoScratch>(
      1, [=] GOTHIC_DEVICE(NoScratch&, std::size_t) { f.template run<Warp>(out); });
  device.synchronize();
  return to_host(elements);
}

/// Calls check.operator()<sharing>() for sharing = 1, 2, 4 ... as many lanes as can share.
template <class Warp, int sharing = 1, class Check>
void for_each_sharing(const Check& check) {
  check.template operator()<sharing>();
  if constexpr (sharing < Warp::most_sharing) for_each_sharing<Warp, 2 * sharing>(check);
}

inline std::vector<float> random_values(int n) {
  std::mt19937 generator(n);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float& value : values) value = uniform(generator);
  return values;
}
inline std::vector<Vec4> random_records(int n) {
  const std::vector<float> v = random_values(4 * n);
  std::vector<Vec4> records;
  for (int i = 0; i < 4 * n; i += 4) records.push_back({v[i], v[i + 1], v[i + 2], v[i + 3]});
  return records;
}

/// Consecutive integers first ... first + count - 1.
struct Span {
  std::uint32_t first = 0, count = 0;
};

/// A way to pack spans that differs from the trees' way: code that unpacks spans must use it.
struct Families {
  GOTHIC_HD static std::uint32_t pack(const Span& span) { return span.count << 24 | span.first; }
  GOTHIC_HD static Span range(std::uint32_t packed) {
    return {packed & ((1U << 24) - 1), packed >> 24};
  }
};

}  // namespace gothic::test
