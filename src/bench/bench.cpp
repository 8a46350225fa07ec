#include "bench/bench.hpp"

#include <optional>

#include "bench/bench_on.hpp"
#include "core/device/cpu/device.hpp"

namespace gothic {

/// Defined where CUDA code is compiled.
BenchResult bench_on_cuda(int number, const DeviceChoice& device, const BenchTask& task);

BenchResult bench(const DeviceChoice& device, const BenchTask& task) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (built_with_cuda) return bench_on_cuda(*gpu, device, task);
  }
  return bench_on(cpu::Device(device.threads), task);
}

}  // namespace gothic
