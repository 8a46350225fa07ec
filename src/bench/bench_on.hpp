#pragma once

#include "bench/balls.hpp"
#include "bench/bench.hpp"
#include "bench/crossover.hpp"
#include "bench/extent.hpp"
#include "bench/peak.hpp"
#include "bench/rebuild_intervals.hpp"
#include "bench/sharing.hpp"
#include "bench/tree_stages.hpp"
#include "bench/tune.hpp"
#include "bench/walk_rate.hpp"

/// The measurements on one kind of device. Times are those of the device's own timer.
namespace gothic {

namespace detail {

template <DeviceType Device>
BenchTables bench_tables(Device& device, const BenchTask& task) {
  switch (task.measurement) {
    case Measurement::peak:
      return {bench_peak(device, task)};
    case Measurement::walk:
      return {bench_walk(device, task)};
    case Measurement::tree:
      return {bench_tree(device, task)};
    case Measurement::balls:
      return bench_balls(device, task);
    case Measurement::rebuild:
      return {bench_rebuild(device, task)};
    case Measurement::extent:
      return {bench_extent(device, task)};
    case Measurement::crossover:
      return {bench_crossover(device, task)};
    case Measurement::tune:
      return bench_tune(device, task);
    default:
      return {bench_sharing(device, task)};
  }
}

}  // namespace detail

/// bench on the CPU, and on a GPU that can be used.
BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task);
BenchResult bench_on_cuda(int number, const DeviceChoice& device, const BenchTask& task);

/// bench on one kind of device.
template <DeviceType Device>
BenchResult bench_on(Device device, const BenchTask& task) {
  return {detail::bench_tables(device, task), device.name(), device.threads()};
}

}  // namespace gothic
