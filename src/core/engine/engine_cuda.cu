#include "core/device/cuda/device.cuh"
#include "core/engine/engine_on.hpp"

namespace gothic {

int gpu_count() { return cuda::count(); }

std::string problem_with_gpu(int number) { return cuda::problem_with(number); }

std::unique_ptr<Engine> make_cuda_engine(int number, const BlockSizes& blocks,
                                         Communicator& ranks) {
  return std::make_unique<EngineOn<cuda::Device>>(cuda::Device(number, blocks), ranks);
}

}  // namespace gothic
