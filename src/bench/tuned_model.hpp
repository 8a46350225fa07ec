#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "core/gravity/direct.hpp"
#include "paper/group_variant.hpp"

namespace gothic::detail {

/// What decides the speed of the walk and, partly, its accuracy.
struct WalkSizes {
  Order order;
  std::uint32_t group_size, leaf_capacity, list_capacity;
  Ball ball;
  int warp_threads;  ///< 0 where there are no blocks

  bool operator==(const WalkSizes&) const = default;
};

/// A model whose forces are timed and compared with direct sums.
template <DeviceType Device>
class TunedModel {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  TunedModel(Device& device, const BenchInput& input)
      : device_(device),
        name_(input.name),
        asked_(input.force.acceptance),
        system_(device, input),
        eighth_(first_of<Device>(system_.by_acceleration(), (system_.size() + 7) / 8)) {
    sum_directly(input.force);
  }

  const std::string& name() const { return name_; }
  /// Whether the order is left to the device.
  bool chooses_order() const { return asked_.order == Order::automatic; }
  Order order() { return system_.solver().options().acceptance.order; }
  BenchSystem<Device>& system() { return system_; }

  /// Takes sizes; returns false, and takes those of blocks alone, if the device cannot have them.
  bool set(const WalkSizes& sizes) {
    BlockSizes blocks = device_.block_sizes();
    blocks.warp_threads = sizes.warp_threads;
    device_.set_block_sizes(blocks);
    auto& solver = system_.solver();
    ForceOptions options = solver.options();
    const bool has_tree = options.leaf_capacity == sizes.leaf_capacity;
    options.acceptance.order = sizes.order;
    options.group_size = sizes.group_size;
    options.sharing = 0;
    options.list_capacity = sizes.list_capacity;
    options.leaf_capacity = sizes.leaf_capacity;
    options.grouping = grouping({.ball = sizes.ball});
    if (solver.problem_with(options)) return false;
    solver.set_options(options);
    if (has_tree) return true;
    ForceCost cost;
    typename Device::Timer timer(device_);
    system_.rebuild(timer, cost);
    timer.finish();
    return true;
  }

  /// Seconds of groups, moments and walk for all particles and for the most accelerated eighth:
  /// their geometric mean.
  double seconds() {
    const auto of = [](const ForceCost& cost) { return cost.groups + cost.moments + cost.walk; };
    const double eighth = of(system_.force_on(eighth_));
    return std::sqrt(eighth * of(system_.force()));
  }

  /// 99th percentile of the errors of a force on all particles.
  double error() {
    system_.force();
    const std::vector<Vec4> found = system_.new_accelerations();
    std::vector<double> errors;
    for (std::size_t k = 0; k < sampled_.size(); ++k) {
      const Vec4 a = found[sampled_[k]];
      const Force& exact = reference_[k];
      errors.push_back(std::hypot(a.x - exact.x, a.y - exact.y, a.z - exact.z) /
                       std::hypot(exact.x, exact.y, exact.z));
    }
    const auto at = errors.begin() + std::ptrdiff_t(0.99 * double(errors.size() - 1));
    std::nth_element(errors.begin(), at, errors.end());
    return *at;
  }

  /// d ln(seconds) / d ln(error) between twice the accuracy parameter that is asked for and half
  /// of it.
  double exponent(int repeats) {
    const std::vector<float> factors{2, 0.5F};
    std::vector<double> errors;
    for (const float factor : factors) {
      set_accuracy(factor);
      errors.push_back(error());
    }
    const auto times = in_turn(repeats, factors, [&](float factor) {
      set_accuracy(factor);
      return seconds();
    });
    set_accuracy(1);
    const double span = std::log(errors[0] / errors[1]);
    if (!(span > 0.01)) return 0;  // everything was opened
    return std::clamp(std::log(median_ratio(times[0], times[1])) / span, -1.0, 0.0);
  }

 private:
  /// Reference forces on particles evenly spread along the curve.
  void sum_directly(const ForceOptions& force) {
    constexpr std::uint32_t most = 1000;
    const std::uint32_t n = system_.size(), count = std::min(n, most);
    for (std::uint32_t k = 0; k < count; ++k) {
      sampled_.push_back(std::uint32_t(std::uint64_t(k) * n / count));
    }
    Buffer<std::uint32_t> targets(count);
    targets.upload(sampled_);
    Buffer<Force> out(count);
    direct_forces(device_, system_.bodies().predicted.data(), n, targets.data(), count,
                  double(force.acceptance.gravity), double(force.softening), out.data());
    reference_.resize(count);
    out.download(reference_);
  }

  void set_accuracy(float factor) {
    Acceptance acceptance = asked_;
    acceptance.accuracy *= factor;
    acceptance.order = order();
    system_.solver().set_acceptance(acceptance);
  }

  Device& device_;
  std::string name_;
  Acceptance asked_;
  BenchSystem<Device> system_;
  Buffer<std::uint32_t> eighth_;  ///< the most accelerated
  std::vector<std::uint32_t> sampled_;
  std::vector<Force> reference_;
};

}  // namespace gothic::detail
