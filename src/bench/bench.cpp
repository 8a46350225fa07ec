#include "bench/bench.hpp"

#include "core/device/all_devices.hpp"

namespace gothic {

/// Compiled for each device.
template <class Device>
BenchResult bench_on(const DeviceChoice& device, int number, const BenchTask& task);

BenchResult bench(const DeviceChoice& device, const BenchTask& task) {
  return with_device(
      device, [&]<class Device>(int number) { return bench_on<Device>(device, number, task); });
}

}  // namespace gothic
