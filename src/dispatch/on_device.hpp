#pragma once

#include <string>

#include "bench/bench.hpp"
#include "simulation/direct_on.hpp"
#include "simulation/points.hpp"
#include "simulation/simulation.hpp"

/// The entry points that each device's translation unit defines; on_device.cpp chooses among those
/// that the build has.
namespace gothic {

std::unique_ptr<Simulation> simulation_on_cpu(const DeviceChoice& device,
                                              const io::Snapshot& snapshot,
                                              const ForceOptions& force, const StepOptions& steps,
                                              const io::SimulationState* state);
DirectResult direct_sum_on_cpu(const DeviceChoice& device, const DirectTask& task);
PointForces forces_at_on_cpu(const DeviceChoice& device, const io::Particles& particles,
                             std::span<const io::Vec3> points, const ForceOptions& force);
BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task);

/// Why GPU `number` cannot be used, to complete a sentence; empty if it can.
std::string problem_with_cuda(int number);
/// The same on GPU `number`, which can be used.
std::unique_ptr<Simulation> simulation_on_cuda(int number, const BlockSizes& blocks,
                                               const io::Snapshot& snapshot,
                                               const ForceOptions& force, const StepOptions& steps,
                                               const io::SimulationState* state);
DirectResult direct_sum_on_cuda(int number, const BlockSizes& blocks, const DirectTask& task);
PointForces forces_at_on_cuda(int number, const BlockSizes& blocks, const io::Particles& particles,
                              std::span<const io::Vec3> points, const ForceOptions& force);
BenchResult bench_on_cuda(int number, const BlockSizes& blocks, const BenchTask& task);

}  // namespace gothic
