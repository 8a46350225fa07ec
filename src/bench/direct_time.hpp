#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "bench/timing.hpp"
#include "core/engine/engine.hpp"
#include "core/gravity/direct.hpp"

namespace gothic::detail {

/// targets[i] = i, over and over if there are more than n.
template <DeviceType Device>
void fill_targets(const Device& device, std::uint32_t* targets, std::uint32_t count,
                  std::uint32_t n) {
  device.for_each(count, [=] GOTHIC_HD(std::size_t i) { targets[i] = std::uint32_t(i % n); });
}

/// Targets of direct sums that the device works on at once.
template <DeviceType Device>
std::size_t places(const Device& device) {
  return 2 * Device::Warp::width * device.warps();
}

/// Sources of direct sums that keep the device busy: no fewer than it has places.
template <DeviceType Device>
std::uint32_t default_sources(const Device& device) {
  constexpr std::size_t least = 1 << 15;
  return std::uint32_t(std::bit_ceil(std::max(least, places(device))));
}

/// Direct sums of some size.
struct DirectTime {
  std::uint32_t sources, targets;
  files::Spread seconds;

  double interactions() const { return double(sources) * double(targets); }
  double rate() const { return interactions() / seconds.median; }
};

/// Times direct sums over n sources. There are so many targets that a sum takes a while, in
/// multiples of what fills the device.
template <DeviceType Device>
DirectTime time_direct(Device& device, const Vec4* position, std::uint32_t n, double softening,
                       Precision precision, int repeats) {
  constexpr double long_enough = 0.2;  // seconds
  constexpr std::size_t fewest_rounds = 4, most_targets = 1 << 22;
  typename Device::template Buffer<std::uint32_t> targets;
  typename Device::template Buffer<Vec4> out;
  typename Device::template Buffer<Force> out_double;
  std::uint32_t count = 0;
  const auto grow_to = [&](std::size_t size) {
    count = std::uint32_t(size);
    targets.resize(count);
    fill_targets(device, targets.data(), count, n);
    if (precision == Precision::double_precision) {
      out_double.resize(count);
    } else {
      out.resize(count);
    }
  };
  const auto sum_all = [&] {
    if (precision == Precision::double_precision) {
      direct_forces(device, position, n, targets.data(), count, 1, softening, out_double.data());
    } else if (precision == Precision::single_estimate) {
      direct_forces<Root::estimate>(device, position, n, targets.data(), count, 1, softening,
                                    out.data());
    } else {
      direct_forces<Root::newton>(device, position, n, targets.data(), count, 1, softening,
                                  out.data());
    }
  };
  const auto once = [&] { return seconds_of(device, sum_all); };
  grow_to(fewest_rounds * places(device));
  once();
  while (once() < long_enough && 2 * std::size_t(count) <= most_targets) {
    grow_to(2 * std::size_t(count));
  }
  return {n, count, files::spread_of(repeated(repeats, once))};
}

}  // namespace gothic::detail
