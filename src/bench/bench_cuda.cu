#include "bench/bench_on.hpp"
#include "core/device/cuda/device.cuh"

namespace gothic {

BenchResult bench_on_cuda(int number, const DeviceChoice& device, const BenchTask& task) {
  return bench_on(cuda::Device(number, device.blocks), task);
}

}  // namespace gothic
