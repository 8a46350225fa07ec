#pragma once

#include <map>
#include <string_view>

#include "bench/balls.hpp"
#include "bench/bench.hpp"
#include "bench/domain_bench.hpp"
#include "bench/forces.hpp"
#include "bench/peak.hpp"
#include "bench/sharing.hpp"
#include "bench/steps.hpp"

namespace gothic {

/// bench on one kind of device. The device's own timer gives the times.
template <class Device>
BenchResult bench_on(const DeviceChoice& choice, int number, const BenchTask& task) {
  using namespace detail;
  using Bench = BenchTables (*)(Device&, const BenchTask&);
  static const std::map<std::string_view, Bench> words = {
      {"peak", bench_peak<Device>},       {"walk", bench_walk<Device>},
      {"tree", bench_tree<Device>},       {"sharing", bench_sharing<Device>},
      {"balls", bench_balls<Device>},     {"rebuild", bench_rebuild<Device>},
      {"extent", bench_extent<Device>},   {"crossover", bench_crossover<Device>},
      {"domains", bench_domains<Device>}, {"steps", bench_steps<Device>},
  };
  Device device(choice, number);
  return {words.at(task.word)(device, task), device.identity(), device.threads()};
}

}  // namespace gothic
