#include "bench/bench_on.hpp"
#include "core/device/cpu/device.hpp"

namespace gothic {

BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task) {
  return bench_on(cpu::Device(device.threads), task);
}

}  // namespace gothic
