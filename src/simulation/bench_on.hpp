#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "dynamics/integrator.hpp"
#include "gravity/direct.hpp"
#include "gravity/force_solver.hpp"
#include "simulation/bench.hpp"
#include "simulation/direct.hpp"
#include "simulation/set_up.hpp"

/// The measurements on one kind of device. Times are those of the device's own timer.
namespace gothic {

namespace detail {

template <DeviceType Device, class F>
double seconds_of(Device& device, F work) {
  typename Device::Timer timer(device);
  work();
  return timer.finish();
}

/// What `once` returns, `repeats` times, after one time that does not count.
template <class F>
auto repeated(int repeats, F once) {
  once();
  std::vector<decltype(once())> results;
  for (int i = 0; i < repeats; ++i) results.push_back(once());
  return results;
}

/// Spread of one member, or what else `of` names, of all results.
template <class T, class Of>
io::Spread spread_of(const std::vector<T>& results, Of of) {
  std::vector<double> values;
  for (const T& result : results) values.push_back(std::invoke(of, result));
  return io::spread_of(std::move(values));
}

/// targets[i] = i, over and over if there are more than n.
template <DeviceType Device>
void fill_targets(const Device& device, std::uint32_t* targets, std::uint32_t count,
                  std::uint32_t n) {
  device.for_each(count, [=] GOTHIC_HD(std::size_t i) { targets[i] = std::uint32_t(i % n); });
}

/// out[i] = {i, ...}: no memory is faster for it, as it might be for zeros.
template <DeviceType Device>
void fill_numbers(const Device& device, Vec4* out, std::size_t n) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) {
    const auto number = float(i);
    out[i] = {number, number + 0.5F, -number, 1 / (number + 1)};
  });
}

template <DeviceType Device>
void copy(const Device& device, const Vec4* from, Vec4* to, std::size_t n) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) { to[i] = from[i]; });
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
  io::Spread seconds;

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
  return {n, count, io::spread_of(repeated(repeats, once))};
}

/// Positions in a ball of radius 1 and masses, whose sum is 1; always the same.
inline std::vector<Vec4> uniform_ball(std::uint32_t n) {
  std::mt19937 generator;
  const auto coordinate = [&] { return float(double(generator()) * 0x1p-31 - 1); };
  std::vector<Vec4> ball;
  while (ball.size() < n) {
    const Vec4 p{coordinate(), coordinate(), coordinate(), 1 / float(n)};
    if (p.x * p.x + p.y * p.y + p.z * p.z <= 1) ball.push_back(p);
  }
  return ball;
}

/// Bytes of a buffer that no cache holds a good part of, but that leaves the machine memory.
template <DeviceType Device>
std::uint64_t default_buffer_bytes(const Device& device) {
  constexpr std::uint64_t wanted = std::uint64_t(3) << 30;
  return std::min<std::uint64_t>(wanted, device.free_memory() / 4);
}

/// Particles on a device, sorted, with their tree and, for the acceleration criterion, with
/// accelerations: as they are before the first force of a simulation.
template <DeviceType Device>
class BenchSystem {
 public:
  using Timer = typename Device::Timer;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  BenchSystem(Device& device, const io::Particles& particles, const ForceOptions& force)
      : device_(device), solver_(device, force) {
    upload(device, particles, bodies_, all_);
    ForceCost cost;
    Timer timer(device);
    rebuild(timer, cost);
    bootstrap(bodies_, solver_, all_.data(), timer);
    timer.finish();
  }

  std::uint32_t size() const { return bodies_.size(); }
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
  ForceCost force_on_all() { return force_on(all_.data(), size()); }
  void evaluate_all(Timer& timer, ForceCost& cost) { evaluate(all_.data(), size(), timer, cost); }

 private:
  Device& device_;
  ForceSolver<Device> solver_;
  Bodies<Device> bodies_;
  Buffer<std::uint32_t> all_;  ///< 0 ... n - 1
};

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

/// The walk of some active particles by groups of one size.
struct SharingTime {
  std::uint32_t group_size;
  bool chosen;  ///< by the solver
  io::Spread seconds;
  ForceCost cost;
};

template <DeviceType Device>
io::ReportTable bench_peak(Device& device, const BenchTask& task) {
  constexpr double softening = 0x1p-6;
  io::ReportTable table;
  const std::uint32_t n = task.sources > 0 ? task.sources : default_sources(device);
  {
    typename Device::template Buffer<Vec4> position(n);
    position.upload(uniform_ball(n));
    const auto add = [&](const char* name, Precision precision) {
      const DirectTime time =
          time_direct(device, position.data(), n, softening, precision, task.repeats);
      table.add(io::ReportRow()
                    .put("measurement", std::string(name))
                    .put("sources", time.sources)
                    .put("targets", time.targets)
                    .put("interactions", std::uint64_t(time.interactions()))
                    .put("seconds", time.seconds)
                    .put("interactions/s", time.rate()));
    };
    add("direct_newton", Precision::single_newton);
    add("direct_estimate", Precision::single_estimate);
    add("direct_double", Precision::double_precision);
  }
  const std::size_t elements = std::max<std::uint64_t>(
      1, (task.buffer_bytes > 0 ? task.buffer_bytes : default_buffer_bytes(device)) / sizeof(Vec4));
  typename Device::template Buffer<Vec4> from(elements), to(elements);
  fill_numbers(device, from.data(), elements);
  const io::Spread seconds = io::spread_of(repeated(task.repeats, [&] {
    return seconds_of(device, [&] { copy(device, from.data(), to.data(), elements); });
  }));
  const std::uint64_t bytes = 2 * elements * sizeof(Vec4);  // read and written
  table.add(io::ReportRow()
                .put("measurement", std::string("copy"))
                .put("bytes", bytes)
                .put("seconds", seconds)
                .put("bytes/s", double(bytes) / seconds.median));
  return table;
}

template <DeviceType Device>
io::ReportTable bench_walk(Device& device, const BenchTask& task) {
  BenchSystem<Device> system(device, task.particles, task.force);
  const auto costs = repeated(task.repeats, [&] { return system.force_on_all(); });
  const ForceCost& cost = costs.back();
  const std::uint32_t n = system.size();
  const bool estimate = system.solver().root() == Root::estimate;
  const DirectTime direct =
      time_direct(device, system.bodies().predicted.data(), std::min(n, default_sources(device)),
                  task.force.softening,
                  estimate ? Precision::single_estimate : Precision::single_newton, task.repeats);
  const io::Spread walk = spread_of(costs, &ForceCost::walk);
  const double rate = double(cost.interactions) / walk.median;
  io::ReportTable table;
  table.add(io::ReportRow()
                .put("particles", n)
                .put("root", std::string(estimate ? "estimate" : "newton"))
                .put("groups", cost.group_count)
                .put("cells_judged", cost.cells_judged)
                .put("interactions", cost.interactions)
                .put("interactions/particle", double(cost.interactions) / n)
                .put("groups_seconds", spread_of(costs, &ForceCost::groups))
                .put("moments_seconds", spread_of(costs, &ForceCost::moments))
                .put("walk_seconds", walk)
                .put("interactions/s", rate)
                .put("direct_interactions/s", direct.rate())
                .put("walk_over_direct", rate / direct.rate()));
  return table;
}

/// Seconds of the stages of a step.
struct StepCost : ForceCost {
  double predict = 0;
};

/// Stages of steps in which all particles are active and the tree is built anew. The particles are
/// in order already, as they nearly are in a simulation.
template <DeviceType Device>
io::ReportTable bench_tree(Device& device, const BenchTask& task) {
  BenchSystem<Device> system(device, task.particles, task.force);
  const auto costs = repeated(task.repeats, [&] {
    StepCost cost;
    typename Device::Timer timer(device);
    predict(device, system.bodies(), TimeGrid(), 0, 0);
    timer.lap(cost.predict);
    system.rebuild(timer, cost);
    system.evaluate_all(timer, cost);
    timer.finish();
    return cost;
  });
  const double n = system.size();
  const auto& tree = system.solver().tree();
  io::ReportTable table;
  const auto add = [&](const char* stage, auto of) {
    const io::Spread seconds = spread_of(costs, of);
    table.add(io::ReportRow()
                  .put("stage", std::string(stage))
                  .put("particles", system.size())
                  .put("cells", tree.cells())
                  .put("levels", tree.levels())
                  .put("seconds", seconds)
                  .put("ns/particle", 1e9 * seconds.median / n)
                  .put("bytes/particle", double(device.used_memory()) / n));
  };
  add("keys", &ForceCost::keys);
  add("sort", &ForceCost::sort);
  add("build", &ForceCost::build);
  add("groups", &ForceCost::groups);
  add("moments", &ForceCost::moments);
  add("predict", &StepCost::predict);
  return table;
}

/// Walks of all particles, half of them, a quarter ..., those with the largest acceleration: the
/// ones that block steps make active.
template <DeviceType Device>
io::ReportTable bench_sharing(Device& device, const BenchTask& task) {
  using Warp = typename Device::Warp;
  constexpr std::uint32_t fewest = 64, largest = 64;
  constexpr int per_lane = Device::Defaults::most_per_lane;
  std::vector<std::uint32_t> sizes;  // 0: the solver chooses
  for (std::uint32_t size = std::min<std::uint32_t>(largest, per_lane * Warp::width); size > 0;
       size /= 2) {
    if (task.force.group_size == 0 || task.force.group_size == size) sizes.push_back(size);
  }
  sizes.push_back(0);

  BenchSystem<Device> system(device, task.particles, task.force);
  system.force_on_all();
  std::vector<Vec4> acceleration(system.size());
  system.bodies().new_acceleration.download(acceleration);
  const std::vector<std::uint32_t> rank = ranks_by_acceleration(acceleration);
  io::ReportTable table;
  for (std::uint32_t active = system.size();; active /= 2) {
    std::vector<std::uint32_t> host;
    for (std::uint32_t i = 0; i < system.size(); ++i) {
      if (rank[i] < active) host.push_back(i);
    }
    typename Device::template Buffer<std::uint32_t> targets(active);
    targets.upload(host);
    std::vector<SharingTime> times;
    for (const std::uint32_t size : sizes) {
      system.solver().set_group_size(size);
      const auto costs =
          repeated(task.repeats, [&] { return system.force_on(targets.data(), active); });
      times.push_back({system.solver().chosen_group_size(active), size == 0,
                       spread_of(costs, &ForceCost::walk), costs.back()});
    }
    const auto median = [](const SharingTime& time) { return time.seconds.median; };
    const double best = median(*std::ranges::min_element(times, {}, median));
    for (const SharingTime& time : times) {
      table.add(io::ReportRow()
                    .put("active", active)
                    .put("choice", std::string(time.chosen ? "auto" : "given"))
                    .put("group_size", time.group_size)
                    .put("lanes_sharing", lanes_sharing<Warp, per_lane>(time.group_size))
                    .put("groups", time.cost.group_count)
                    .put("interactions", time.cost.interactions)
                    .put("seconds", time.seconds)
                    .put("seconds_over_best", median(time) / best)
                    .put("interactions/s", double(time.cost.interactions) / time.seconds.median));
    }
    if (active / 2 < fewest) return table;
  }
}

template <DeviceType Device>
io::ReportTable bench_table(Device& device, const BenchTask& task) {
  switch (task.measurement) {
    case Measurement::peak:
      return bench_peak(device, task);
    case Measurement::walk:
      return bench_walk(device, task);
    case Measurement::tree:
      return bench_tree(device, task);
    default:
      return bench_sharing(device, task);
  }
}

}  // namespace detail

/// bench on one kind of device.
template <DeviceType Device>
BenchResult bench_on(Device device, const BenchTask& task) {
  return {detail::bench_table(device, task), device.name(), device.threads()};
}

}  // namespace gothic
