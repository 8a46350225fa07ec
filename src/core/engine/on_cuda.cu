#include "bench/bench_on.hpp"
#include "core/device/cuda/device.cuh"
#include "core/engine/direct_on.hpp"
#include "core/engine/on_device.hpp"
#include "core/engine/points_on.hpp"
#include "core/engine/simulation_on.hpp"

namespace gothic {

std::string problem_with_cuda(int number) { return cuda::problem_with(number); }

std::unique_ptr<Simulation> simulation_on_cuda(int number, const BlockSizes& blocks,
                                               const files::Snapshot& snapshot,
                                               const ForceOptions& force, const StepOptions& steps,
                                               const files::SimulationState* state) {
  return std::make_unique<SimulationOn<cuda::Device>>(cuda::Device(number, blocks), snapshot, force,
                                                      steps, state);
}

DirectResult direct_sum_on_cuda(int number, const BlockSizes& blocks, const DirectTask& task) {
  return direct_sum_on(cuda::Device(number, blocks), task);
}

PointForces forces_at_on_cuda(int number, const BlockSizes& blocks,
                              const files::Particles& particles,
                              std::span<const files::Vec3> points, const ForceOptions& force) {
  return forces_at_on(cuda::Device(number, blocks), particles, points, force);
}

BenchResult bench_on_cuda(int number, const BlockSizes& blocks, const BenchTask& task) {
  return bench_on(cuda::Device(number, blocks), task);
}

}  // namespace gothic
