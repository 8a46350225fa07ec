#include "bench/bench_on.hpp"
#include "core/device/cpu/device.hpp"
#include "core/engine/direct_on.hpp"
#include "core/engine/on_device.hpp"
#include "core/engine/points_on.hpp"
#include "core/engine/simulation_on.hpp"

namespace gothic {

std::unique_ptr<Simulation> simulation_on_cpu(const DeviceChoice& device,
                                              const files::Snapshot& snapshot,
                                              const ForceOptions& force, const StepOptions& steps,
                                              const files::SimulationState* state) {
  return std::make_unique<SimulationOn<cpu::Device>>(cpu::Device(device.threads), snapshot, force,
                                                     steps, state);
}

DirectResult direct_sum_on_cpu(const DeviceChoice& device, const DirectTask& task) {
  return direct_sum_on(cpu::Device(device.threads), task);
}

PointForces forces_at_on_cpu(const DeviceChoice& device, const files::Particles& particles,
                             std::span<const files::Vec3> points, const ForceOptions& force) {
  return forces_at_on(cpu::Device(device.threads), particles, points, force);
}

BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task) {
  return bench_on(cpu::Device(device.threads), task);
}

}  // namespace gothic
