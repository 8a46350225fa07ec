#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/bench.hpp"
#include "core/engine/force_solver.hpp"
#include "core/engine/set_up.hpp"
#include "paper/force_variant.hpp"
#include "paper/group_extents.hpp"

namespace gothic::detail {

/// Particles on a device, sorted, with their tree and, for the acceleration criterion, with
/// accelerations: as they are before the first force of a simulation. Where a simulation would find
/// the extent of groups by trial, they have a limit from the start.
template <DeviceType Device>
class BenchSystem {
 public:
  using Timer = typename Device::Timer;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  BenchSystem(Device& device, const BenchInput& input)
      : device_(device), forest_(device), solver_(device, input.force), variant_(input.variant) {
    upload(device, input.snapshot.particles, input.force, bodies_);
    all_.resize(bodies_.size());
    list_all(device, all_.data(), bodies_.size());
    ForceCost cost;
    Timer timer(device);
    rebuild(timer, cost);
    Instant<Device> now = present();
    solver_.scale(forest_, now, {all_.data(), size()}, bodies_.acceleration.data(),
                  bodies_.new_acceleration.data(), timer);
    timer.finish();
    if (variant_.tune_extent) limit_extent();
  }

  std::uint32_t size() const { return bodies_.size(); }
  const std::uint32_t* all() const { return all_.data(); }  ///< 0 ... n - 1
  ForceSolver<Device>& solver() { return solver_; }
  const ForceSettings<Device>& settings() const { return solver_.settings(); }
  const ForceVariant& variant() const { return variant_; }  ///< that the forces are made of
  const Forest<Device>& forest() const { return forest_; }
  Bodies<Device>& bodies() { return bodies_; }

  void rebuild(Timer& timer, ForceCost& cost) {
    forest_.grow(bodies_.particles, {bodies_.predicted, bodies_.softening}, 0, settings().options(),
                 timer, cost);
  }

  /// New accelerations of all; the old ones stay as they are.
  void evaluate(Timer& timer, ForceCost& cost) { evaluate(all_, timer, cost); }

  /// The same of all or some, with their cost.
  ForceCost force() { return force_on(all_); }
  ForceCost force_on(const Buffer<std::uint32_t>& targets) {
    ForceCost cost;
    Timer timer(device_);
    evaluate(targets, timer, cost);
    timer.finish();
    cost.counts = solver_.counted().get();
    return cost;
  }
  /// The cost of each particle in a force on all, in pairs.
  Buffer<float> costs() {
    Buffer<float> costs(size());
    fill(device_, costs.data(), size(), 0.0F);
    ForceCost cost;
    Timer timer(device_);
    solver_.find(forest_, present(), {all_.data(), size(), costs.data()},
                 bodies_.new_acceleration.data(), timer, cost);
    timer.finish();
    return costs;
  }

  /// All particles by a new force on them, the most accelerated first.
  std::vector<std::uint32_t> by_acceleration() {
    force();
    std::vector<float> a2;
    for (const Vec4& a : bodies_.new_acceleration.downloaded())
      a2.push_back(a.x * a.x + a.y * a.y + a.z * a.z);
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, std::greater(), [&](std::uint32_t i) { return a2[i]; });
    return order;
  }

 private:
  /// Cuts groups at eight times their mean extent. With the NFW sphere and M31, 2^23 particles on
  /// an H200, all limits from 2 to 20 times the mean gave steps within 1 % of the fastest. No table
  /// of this is kept; bench_extent measures it.
  void limit_extent() {
    force();
    const GroupExtents extents = group_extents(device_, solver_.last_groups());
    variant_.extent = float(8 * std::exp2(extents.mean_log2));
    variant_.tune_extent = false;
    ForceOptions options = settings().options();
    options.variation = variation(variant_);
    solver_.set(options);
  }

  Instant<Device> present() {
    return {.time = 0,
            .moved = false,
            .position = bodies_.predicted,
            .old_acceleration = bodies_.acceleration.data()};
  }
  void evaluate(const Buffer<std::uint32_t>& targets, Timer& timer, ForceCost& cost) {
    solver_.find(forest_, present(), {targets.data(), std::uint32_t(targets.size())},
                 bodies_.new_acceleration.data(), timer, cost);
  }

  Device& device_;
  Forest<Device> forest_;
  ForceSolver<Device> solver_;
  ForceVariant variant_;
  Bodies<Device> bodies_;
  Buffer<std::uint32_t> all_;
};

/// The first `active` particles of an order, as targets in the order of the tree.
template <DeviceType Device>
typename Device::template Buffer<std::uint32_t> first_of(std::vector<std::uint32_t> order,
                                                         std::uint32_t active) {
  order.resize(active);
  std::ranges::sort(order);
  typename Device::template Buffer<std::uint32_t> targets(active);
  targets.upload(order);
  return targets;
}

}  // namespace gothic::detail
