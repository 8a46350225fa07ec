#include "bench/bench_on.hpp"
#include "device/cpu/device.hpp"
#include "dispatch/on_device.hpp"
#include "simulation/direct_on.hpp"
#include "simulation/points_on.hpp"
#include "simulation/simulation_on.hpp"

namespace gothic {

std::unique_ptr<Simulation> simulation_on_cpu(const DeviceChoice& device,
                                              const io::Snapshot& snapshot,
                                              const ForceOptions& force, const StepOptions& steps,
                                              const io::SimulationState* state) {
  return std::make_unique<SimulationOn<cpu::Device>>(cpu::Device(device.threads), snapshot, force,
                                                     steps, state);
}

DirectResult direct_sum_on_cpu(const DeviceChoice& device, const DirectTask& task) {
  return direct_sum_on(cpu::Device(device.threads), task);
}

PointForces forces_at_on_cpu(const DeviceChoice& device, const io::Particles& particles,
                             std::span<const io::Vec3> points, const ForceOptions& force) {
  return forces_at_on(cpu::Device(device.threads), particles, points, force);
}

BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task) {
  return bench_on(cpu::Device(device.threads), task);
}

}  // namespace gothic
