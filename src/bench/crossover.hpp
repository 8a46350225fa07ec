#pragma once

#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/direct_time.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"

namespace gothic::detail {

/// to[place[i]] = from[i].
template <DeviceType Device>
void scatter(const Device& device, const std::uint32_t* place, const Vec4* from, Vec4* to,
             std::uint32_t n) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { to[place[i]] = from[i]; });
}

/// to[i] = from[place[i]].
template <DeviceType Device>
void gather(const Device& device, const std::uint32_t* place, const Vec4* from, Vec4* to,
            std::uint32_t n) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { to[i] = from[place[i]]; });
}

/// Particles in the order of the input, with the accelerations that the criterion wants: what a
/// force from scratch begins with.
template <DeviceType Device>
class UnsortedSystem {
 public:
  using Timer = typename Device::Timer;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  UnsortedSystem(Device& device, const Particles& particles, const ForceOptions& force)
      : device_(device), system_(device, particles, force) {
    const std::uint32_t n = system_.size();
    for (Buffer<Vec4>* buffer : {&position_, &old_, &sorted_, &sorted_old_, &out_}) {
      buffer->resize(n);
    }
    targets_.resize(n);
    fill_targets(device, targets_.data(), n, n);
    const auto& bodies = system_.bodies();
    scatter(device, bodies.slot.data(), bodies.predicted.data(), position_.data(), n);
    scatter(device, bodies.slot.data(), bodies.acceleration.data(), old_.data(), n);
    device.synchronize();
  }

  std::uint32_t size() const { return system_.size(); }
  Root root() { return system_.solver().root(); }

  /// A tree force on all particles from the beginning: the sort, the tree and the walk.
  ForceCost tree_force() {
    ForceCost cost;
    Timer timer(device_);
    auto& solver = system_.solver();
    solver.sort(position_.data(), size(), timer, cost);
    gather(device_, solver.order(), position_.data(), sorted_.data(), size());
    gather(device_, solver.order(), old_.data(), sorted_old_.data(), size());
    timer.lap(cost.sort);
    solver.build(timer, cost);
    solver.evaluate(sorted_.data(), sorted_old_.data(), targets_.data(), size(), out_.data(), timer,
                    cost);
    timer.finish();
    return cost;
  }

  /// Seconds of the sums over all pairs with the same root.
  double direct_force(double softening) {
    return seconds_of(device_, [&] {
      const auto sum = [&]<Root root>() {
        direct_forces<root>(device_, position_.data(), size(), targets_.data(), size(), 1,
                            softening, out_.data());
      };
      if (root() == Root::estimate) {
        sum.template operator()<Root::estimate>();
      } else {
        sum.template operator()<Root::newton>();
      }
    });
  }

 private:
  Device& device_;
  BenchSystem<Device> system_;
  Buffer<Vec4> position_, old_, sorted_, sorted_old_, out_;
  Buffer<std::uint32_t> targets_;
};

/// A tree force on all particles and sums over all their pairs, which take turns.
template <DeviceType Device>
files::ReportTable bench_crossover(Device& device, const BenchTask& task) {
  struct Times {
    double sort, walk, direct;
    double tree() const { return sort + walk; }
  };
  UnsortedSystem<Device> system(device, task.snapshot.particles, task.force);
  const auto times = repeated(task.repeats, [&] {
    const ForceCost cost = system.tree_force();
    return Times{cost.keys + cost.sort + cost.build, cost.groups + cost.moments + cost.walk,
                 system.direct_force(task.force.softening)};
  });
  const files::Spread tree = spread_of(times, &Times::tree),
                      direct = spread_of(times, &Times::direct);
  files::ReportTable table;
  table.add(files::ReportRow()
                .put("particles", system.size())
                .put("root", std::string(system.root() == Root::estimate ? "estimate" : "newton"))
                .put("sort_seconds", spread_of(times, &Times::sort))
                .put("walk_seconds", spread_of(times, &Times::walk))
                .put("tree_seconds", tree)
                .put("direct_seconds", direct)
                .put("direct_over_tree", direct.median / tree.median));
  return table;
}

}  // namespace gothic::detail
