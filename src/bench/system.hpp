#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/engine/set_up.hpp"
#include "core/gravity/force_solver.hpp"

namespace gothic::detail {

/// For each particle, how many have a larger acceleration.
inline std::vector<std::uint32_t> ranks_by_acceleration(const std::vector<Vec4>& acceleration) {
  const auto n = std::uint32_t(acceleration.size());
  std::vector<float> a2(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Vec4 a = acceleration[i];
    a2[i] = a.x * a.x + a.y * a.y + a.z * a.z;
  }
  std::vector<std::uint32_t> order(n), rank(n);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return a2[i] > a2[j]; });
  for (std::uint32_t k = 0; k < n; ++k) rank[order[k]] = k;
  return rank;
}

/// The particles with the `active` largest accelerations, in the order of the tree.
inline std::vector<std::uint32_t> most_accelerated(const std::vector<std::uint32_t>& rank,
                                                   std::uint32_t active) {
  std::vector<std::uint32_t> targets;
  for (std::uint32_t i = 0; i < rank.size(); ++i) {
    if (rank[i] < active) targets.push_back(i);
  }
  return targets;
}

/// Particles on a device, sorted, with their tree and, for the acceleration criterion, with
/// accelerations: as they are before the first force of a simulation.
template <DeviceType Device>
class BenchSystem {
 public:
  using Timer = typename Device::Timer;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  BenchSystem(Device& device, const Particles& particles, const ForceOptions& force)
      : device_(device), solver_(device, force) {
    upload(device, particles, bodies_, all_);
    ForceCost cost;
    Timer timer(device);
    rebuild(timer, cost);
    bootstrap(bodies_, solver_, all_.data(), timer);
    timer.finish();
  }

  std::uint32_t size() const { return bodies_.size(); }
  const std::uint32_t* all() const { return all_.data(); }  ///< 0 ... n - 1
  ForceSolver<Device>& solver() { return solver_; }
  Bodies<Device>& bodies() { return bodies_; }

  void rebuild(Timer& timer, ForceCost& cost) {
    gothic::rebuild(device_, bodies_, solver_, timer, cost);
  }

  /// New accelerations of targets; the old ones stay as they are.
  void evaluate(const std::uint32_t* targets, std::uint32_t count, Timer& timer, ForceCost& cost) {
    solver_.evaluate(bodies_.predicted.data(), bodies_.acceleration.data(), targets, count,
                     bodies_.new_acceleration.data(), timer, cost);
  }

  /// The same with its cost.
  ForceCost force_on(const std::uint32_t* targets, std::uint32_t count) {
    ForceCost cost;
    Timer timer(device_);
    evaluate(targets, count, timer, cost);
    timer.finish();
    solver_.add_counts(cost);
    return cost;
  }
  /// For each particle, in the order of the tree, how many have a larger acceleration, by a new
  /// force on all.
  std::vector<std::uint32_t> ranks() {
    force_on_all();
    std::vector<Vec4> acceleration(size());
    bodies_.new_acceleration.download(acceleration);
    return ranks_by_acceleration(acceleration);
  }
  ForceCost force_on_all() { return force_on(all_.data(), size()); }
  void evaluate_all(Timer& timer, ForceCost& cost) { evaluate(all_.data(), size(), timer, cost); }

 private:
  Device& device_;
  ForceSolver<Device> solver_;
  Bodies<Device> bodies_;
  Buffer<std::uint32_t> all_;  ///< 0 ... n - 1
};

}  // namespace gothic::detail
