#pragma once

#include <string>

#include "bench/bench.hpp"
#include "core/engine/direct_on.hpp"
#include "core/engine/points.hpp"
#include "core/engine/simulation.hpp"

/// The entry points that each device's translation unit defines; on_device.cpp chooses among those
/// that the build has.
namespace gothic {

std::unique_ptr<Simulation> simulation_on_cpu(const DeviceChoice& device,
                                              const files::Snapshot& snapshot,
                                              const ForceOptions& force, const StepOptions& steps,
                                              const files::SimulationState* state);
DirectResult direct_sum_on_cpu(const DeviceChoice& device, const DirectTask& task);
PointForces forces_at_on_cpu(const DeviceChoice& device, const files::Particles& particles,
                             std::span<const files::Vec3> points, const ForceOptions& force);
BenchResult bench_on_cpu(const DeviceChoice& device, const BenchTask& task);

/// Why GPU `number` cannot be used, to complete a sentence; empty if it can.
std::string problem_with_cuda(int number);
/// The same on GPU `number`, which can be used.
std::unique_ptr<Simulation> simulation_on_cuda(int number, const BlockSizes& blocks,
                                               const files::Snapshot& snapshot,
                                               const ForceOptions& force, const StepOptions& steps,
                                               const files::SimulationState* state);
DirectResult direct_sum_on_cuda(int number, const BlockSizes& blocks, const DirectTask& task);
PointForces forces_at_on_cuda(int number, const BlockSizes& blocks,
                              const files::Particles& particles,
                              std::span<const files::Vec3> points, const ForceOptions& force);
BenchResult bench_on_cuda(int number, const BlockSizes& blocks, const BenchTask& task);

}  // namespace gothic
