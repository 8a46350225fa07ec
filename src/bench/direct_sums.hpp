#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "bench/timing.hpp"
#include "core/engine/engine.hpp"
#include "core/gravity/direct.hpp"

namespace gothic::detail {

inline Precision precision_with(Root root) {
  return root == Root::estimate ? Precision::single_estimate : Precision::single_newton;
}

/// targets[i] = i, over and over if there are more than n.
template <DeviceType Device>
void fill_targets(const Device& device, std::uint32_t* targets, std::uint32_t count,
                  std::uint32_t n) {
  device.for_each(count, [=] GOTHIC_DEVICE(std::size_t i) { targets[i] = std::uint32_t(i % n); });
}

/// Sources of direct sums that keep the device busy: no fewer than the targets that it works on at
/// once.
template <DeviceType Device>
std::uint32_t default_sources(const Device& device) {
  constexpr std::size_t least = 1 << 15;
  return std::uint32_t(std::bit_ceil(std::max(least, 2 * Device::Warp::width * device.warps())));
}

/// Direct sums on a device, to be timed: n sources, and the same particles as targets, over and
/// over, all with one softening length.
template <DeviceType Device>
class DirectSums {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  /// \param position [n] positions and masses in device memory
  DirectSums(Device& device, const Vec4* position, std::uint32_t n, double softening,
             Precision precision)
      : device_(device),
        position_(position),
        sources_(n),
        softening_(softening),
        precision_(precision) {}

  std::uint32_t sources() const { return sources_; }
  std::uint32_t targets() const { return std::uint32_t(targets_.size()); }
  double interactions() const { return double(sources()) * double(targets()); }

  void set_targets(std::uint32_t count) {
    targets_.resize(count);
    fill_targets(device_, targets_.data(), count, sources_);
    if (precision_ == Precision::double_precision) {
      out_double_.resize(count);
    } else {
      out_.resize(count);
    }
  }

  /// [targets] forces of the last sum in single precision.
  const Buffer<Vec4>& in_single() const { return out_; }
  /// [targets] forces of the last sum in double precision.
  const Buffer<Force>& in_double() const { return out_double_; }

  /// Takes so many targets that a sum takes a while, in multiples of what fills the device, and
  /// times such sums.
  files::Spread time_long_sums(int repeats) {
    constexpr double long_enough = 0.2;  // seconds
    constexpr std::uint32_t fewest_rounds = 4, most_targets = 1 << 22;
    set_targets(fewest_rounds * std::uint32_t(2 * Device::Warp::width * device_.warps()));
    seconds();
    while (seconds() < long_enough && 2 * targets() <= most_targets) set_targets(2 * targets());
    return files::spread_of(repeated(repeats, [&] { return seconds(); }));
  }

  /// Sums once.
  double seconds() {
    const SumTargets targets{position_, nullptr, targets_.data(), std::uint32_t(targets_.size())};
    return seconds_of(device_, [&] {
      if (precision_ == Precision::double_precision) {
        direct_forces(device_, position_, nullptr, sources_, targets, 1, softening_,
                      out_double_.data());
      } else if (precision_ == Precision::single_estimate) {
        direct_forces<Root::estimate>(device_, position_, nullptr, sources_, targets, 1, softening_,
                                      out_.data());
      } else {
        direct_forces<Root::newton>(device_, position_, nullptr, sources_, targets, 1, softening_,
                                    out_.data());
      }
    });
  }

 private:
  Device& device_;
  const Vec4* position_;
  std::uint32_t sources_;
  double softening_;
  Precision precision_;
  Buffer<std::uint32_t> targets_;
  Buffer<Vec4> out_;
  Buffer<Force> out_double_;
};

}  // namespace gothic::detail
