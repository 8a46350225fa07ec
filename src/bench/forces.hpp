#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/direct_sums.hpp"
#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "core/device/arrays.hpp"
#include "core/dynamics/integrator.hpp"

/// Forces on all particles: the walk, the stages beside it, and both beside direct sums.
namespace gothic::detail {

inline const char* name_of(Root root) { return root == Root::estimate ? "estimate" : "newton"; }
inline const char* name_of(Order order) { return order_names[int(order)]; }

template <DeviceType Device>
BenchTables bench_walk(Device& device, const BenchTask& task) {
  const BenchInput& input = *task.input;
  BenchSystem<Device> system(device, input);
  const auto costs = repeated(task.repeats, [&] { return system.force(); });
  const ForceCost& cost = costs.back();
  const std::uint32_t n = system.size();
  const Root root = system.settings().root();
  DirectSums<Device> direct(device, system.bodies().predicted.data(),
                            std::min(n, default_sources(device)), input.force.softening,
                            precision_with(root));
  const double direct_seconds = direct.time_long_sums(task.repeats).median;
  const files::Spread walk = spread_of(costs, &ForceCost::walk);
  const double rate = double(cost.counts.interactions()) / walk.median,
               direct_rate = direct.interactions() / direct_seconds;
  files::ReportRow row;
  row.put("particles", n)
      .put("root", name_of(root))
      .put("order", name_of(system.settings().acceptance().order))
      .put("groups", cost.group_count)
      .put("cells_judged", cost.counts.cells_judged)
      .put("interactions", cost.counts.interactions())
      .put("interactions/particle", double(cost.counts.interactions()) / n);
  for_each_order<Order::quadrupole, highest_order>([&]<Order order>() {
    row.put(std::string(name_of(order)) + "_interactions/particle",
            double(cost.counts.pairs[order]) / n);
  });
  row.put("groups_seconds", spread_of(costs, &ForceCost::groups))
      .put("moments_seconds", spread_of(costs, &ForceCost::moments))
      .put("walk_seconds", walk)
      .put("interactions/s", rate)
      .put("direct_interactions/s", direct_rate)
      .put("walk_over_direct", rate / direct_rate);
  BenchTables tables;
  tables.table.add(row);
  return tables;
}

/// A function of a step beside the walk.
struct StageTime {
  const char* name;
  double seconds;
};

/// The stages of a step in which all particles are active and the tree is built anew. The particles
/// are in order already, as they nearly are in a simulation.
template <DeviceType Device>
std::vector<StageTime> time_stages(Device& device, BenchSystem<Device>& system) {
  ForceCost cost;
  double predicting = 0, correcting = 0;
  typename Device::Timer timer(device);
  predict(device, system.bodies(), TimeGrid(), 0, 0);
  timer.lap(predicting);
  system.rebuild(timer, cost);
  system.evaluate(timer, cost);
  // From time 0 to time 0, so that velocities stay as they are.
  correct(device, system.bodies(), TimeGrid(), 0, 0, 1, system.all(), system.size());
  timer.lap(correcting);
  timer.finish();
  std::vector<StageTime> stages;
  for (const auto& [name, seconds] : {std::pair("keys", &cost.keys),
                                      {"sort", &cost.sort},
                                      {"build", &cost.build},
                                      {"groups", &cost.groups},
                                      {"moments", &cost.moments},
                                      {"predict", &predicting},
                                      {"correct", &correcting}}) {
    stages.push_back({name, *seconds});
  }
  return stages;
}

template <DeviceType Device>
BenchTables bench_tree(Device& device, const BenchTask& task) {
  BenchSystem<Device> system(device, *task.input);
  const auto times = repeated(task.repeats, [&] { return time_stages(device, system); });
  const double n = system.size();
  const auto& tree = system.forest().tree();
  BenchTables tables;
  for (std::size_t k = 0; k < times.front().size(); ++k) {
    const files::Spread seconds =
        spread_of(times, [k](const auto& stages) { return stages[k].seconds; });
    tables.table.add(files::ReportRow()
                         .put("stage", times.front()[k].name)
                         .put("particles", system.size())
                         .put("cells", tree.cells())
                         .put("levels", tree.levels())
                         .put("seconds", seconds)
                         .put("ns/particle", 1e9 * seconds.median / n)
                         .put("bytes/particle", double(device.used_memory()) / n));
  }
  return tables;
}

/// Tree forces on all particles of a system, each from their order in the input on: they are
/// sorted, and their tree is built and walked.
template <DeviceType Device>
class ForcesFromInput {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  ForcesFromInput(Device& device, BenchSystem<Device>& system)
      : device_(device),
        system_(system),
        forest_(device),
        position_(particles_.template add<Vec4>("Position", Storage::none)),
        old_acceleration_(particles_.template add<Vec4>("Acceleration", Storage::none)),
        slot_(particles_.template add<std::uint32_t>("Slot", Storage::none)),
        places_(system.size()),
        acceleration_(system.size()) {
    const std::uint32_t n = system.size();
    particles_.resize(n);
    copy(device, system.bodies().predicted.data(), n, position_.data());
    copy(device, system.bodies().acceleration.data(), n, old_acceleration_.data());
    copy(device, system.bodies().slot.data(), n, slot_.data());
    if (system.bodies().softening == nullptr) return;
    softening_ = &particles_.template add<float>("Softening", Storage::none);
    copy(device, system.bodies().softening->data(), n, softening_->data());
  }

  ForceCost find() {
    put_in_order_of_input();
    ForceCost cost;
    typename Device::Timer timer(device_);
    forest_.grow(particles_, {position_, softening_}, 0, system_.settings().options(), timer, cost);
    system_.solver().find(forest_, {0, false, position_, old_acceleration_.data()},
                          {system_.all(), system_.size()}, acceleration_.data(), timer, cost);
    timer.finish();
    return cost;
  }

  /// [n] of the last find(), in the order of the tree.
  const Buffer<Vec4>& accelerations() const { return acceleration_; }
  /// [n] places in the input of the particles in the order of the tree.
  const Buffer<std::uint32_t>& slots() const { return slot_; }

  void put_in_order_of_input() {
    invert(device_, slot_.data(), system_.size(), places_.data());
    particles_.permute(device_, places_.data());
    device_.synchronize();
  }

 private:
  Device& device_;
  BenchSystem<Device>& system_;
  Forest<Device> forest_;
  SortedParticles<Device> particles_;
  Buffer<Vec4>&position_, &old_acceleration_;
  Buffer<std::uint32_t>& slot_;
  Buffer<float>* softening_ = nullptr;  ///< see TreeFields
  Buffer<std::uint32_t> places_;        ///< scratch
  Buffer<Vec4> acceleration_;
};

/// A tree force on all particles, from their order in the input on, and sums over all their pairs,
/// which take turns.
template <DeviceType Device>
BenchTables bench_crossover(Device& device, const BenchTask& task) {
  const BenchInput& input = *task.input;
  BenchSystem<Device> system(device, input);
  const std::uint32_t n = system.size();
  ForcesFromInput<Device> forces(device, system);
  DirectSums<Device> direct(device, system.bodies().predicted.data(), n, input.force.softening,
                            precision_with(system.settings().root()));
  direct.set_targets(n);
  struct Times {
    double sort, walk, direct;
    double tree() const { return sort + walk; }
  };
  const auto times = repeated(task.repeats, [&] {
    const ForceCost cost = forces.find();
    return Times{cost.keys + cost.sort + cost.build, cost.groups + cost.moments + cost.walk,
                 direct.seconds()};
  });
  const files::Spread tree = spread_of(times, &Times::tree),
                      sums = spread_of(times, &Times::direct);
  BenchTables tables;
  tables.table.add(files::ReportRow()
                       .put("particles", n)
                       .put("root", name_of(system.settings().root()))
                       .put("sort_seconds", spread_of(times, &Times::sort))
                       .put("walk_seconds", spread_of(times, &Times::walk))
                       .put("tree_seconds", tree)
                       .put("direct_seconds", sums)
                       .put("direct_over_tree", sums.median / tree.median));
  return tables;
}

}  // namespace gothic::detail
