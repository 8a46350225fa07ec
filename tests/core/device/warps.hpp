#pragma once

#include <cstdint>
#include <vector>

#include "tests/core/device/devices.hpp"

namespace gothic::test {

/// Scratch of tasks that need none.
struct NoScratch {};

/// f(x) of all values, a warp's width of them at a time. F has a static
/// `of<Warp>(Float x) -> Float`.
template <class F, class Device>
std::vector<float> lane_by_lane(const Device& device, std::vector<float> values) {
  using Warp = typename Device::Warp;
  constexpr std::size_t width = Warp::width;
  const std::size_t n = values.size(), tasks = (n + width - 1) / width;
  values.resize(tasks * width, 1.0F);
  const auto in = to_device<Device>(values);
  const auto places = to_device<Device>(numbers(values.size()));
  typename Device::template Buffer<Vec4> out(values.size());
  const float* const from = in.data();
  const std::uint32_t* const place = places.data();
  Vec4* const to = out.data();
  device.template for_each_warp<NoScratch>(tasks, [=] GOTHIC_HD(NoScratch&, std::size_t task) {
    const auto index = Warp::load(place + task * width, int(width));
    const auto value = F::template of<Warp>(Warp::gather(from, index));
    Warp::scatter(to, index, int(width), {value, value, value, value});
  });
  device.synchronize();
  std::vector<float> result;
  for (const Vec4& record : to_host(out)) result.push_back(record.x);
  result.resize(n);
  return result;
}

/// Has one warp run `f.run<Warp>()` and waits.
template <class Device, class F>
void on_one_warp(const Device& device, F f) {
  using Warp = typename Device::Warp;
  device.template for_each_warp<NoScratch>(
      1, [=] GOTHIC_HD(NoScratch&, std::size_t) { f.template run<Warp>(); });
  device.synchronize();
}

/// The same for `f.run<Warp>(scratch)`.
template <class Scratch, class Device, class F>
void on_one_warp_with(const Device& device, F f) {
  using Warp = typename Device::Warp;
  device.template for_each_warp<Scratch>(
      1, [=] GOTHIC_HD(Scratch & scratch, std::size_t) { f.template run<Warp>(scratch); });
  device.synchronize();
}

}  // namespace gothic::test
