#include "bench/bench_on.hpp"
#include "device/cpu/device.hpp"
#include "dispatch/on_device.hpp"
#include "simulation/direct_on.hpp"
#include "simulation/simulation_on.hpp"

namespace gothic {

std::unique_ptr<Simulation> simulation_on_cpu(const DeviceChoice& device,
                                              const io::Snapshot& snapshot,
                                              const ForceOptions& force, const StepOptions& steps) {
  return std::make_unique<SimulationOn<cpu::Device>>(cpu::Device(device.threads), snapshot, force,
                                                     steps);
}

DirectResult direct_sum_on_cpu(const DeviceChoice& device, const io::Particles& particles,
                               std::span<const std::uint32_t> targets, double gravity,
                               double softening, Precision precision) {
  return direct_sum_on(cpu::Device(device.threads), particles, targets, gravity, softening,
                       precision);
}

BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task) {
  return bench_on(cpu::Device(device.threads), task);
}

}  // namespace gothic
