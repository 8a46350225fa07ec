#include "bench/bench.hpp"

#include <optional>

namespace gothic {

BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task);
BenchResult bench_on_cuda(int number, const DeviceChoice& device, const BenchTask& task);

BenchResult bench(const DeviceChoice& device, const BenchTask& task) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (built_with_cuda) return bench_on_cuda(*gpu, device, task);
  }
  return bench_on_cpu(device, task);
}

}  // namespace gothic
