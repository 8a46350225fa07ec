#pragma once

#include <memory>
#include <numeric>
#include <utility>

#include "core/engine/engine.hpp"
#include "core/engine/forces_on.hpp"
#include "core/engine/simulation_on.hpp"

namespace gothic {

/// The engine on one kind of device.
template <DeviceType Device>
class EngineOn final : public Engine {
 public:
  EngineOn(Device device, Communicator& ranks) : device_(std::move(device)), ranks_(ranks) {}

  TreeForces forces(const Particles& particles, double time, const ForceOptions& options) override {
    return tree_forces(device_, packed_positions(particles), softening_lengths(particles, options),
                       0, {particles.id, particles.component}, time, options, ranks_);
  }
  TreeForces forces_at(const Particles& particles, std::span<const Vec3> points, double time,
                       const ForceOptions& options) override {
    std::vector<std::uint64_t> ids(points.size());
    std::iota(ids.begin(), ids.end(), slices_of(ranks_, points.size()).first);
    const std::vector<std::int32_t> components(points.size());
    return tree_forces(device_, packed_positions(particles, points),
                       softening_lengths(particles, options, points.size()), particles.size(),
                       {ids, components}, time, options, ranks_);
  }

  DirectForces direct_sum(const Particles& particles, std::span<const std::uint32_t> targets,
                          double time, const DirectOptions& options) override {
    return summed_forces(device_, packed_positions(particles),
                         softening_lengths(particles, options), std::uint32_t(particles.size()),
                         targets, time, options);
  }
  DirectForces direct_sum_at(const Particles& particles, std::span<const Vec3> points, double time,
                             const DirectOptions& options) override {
    std::vector<std::uint32_t> targets(points.size());
    std::iota(targets.begin(), targets.end(), std::uint32_t(particles.size()));
    return summed_forces(device_, packed_positions(particles, points),
                         softening_lengths(particles, options, points.size()),
                         std::uint32_t(particles.size()), targets, time, options);
  }

  std::unique_ptr<Simulation> simulation(const Particles& particles, double time,
                                         const ForceOptions& force,
                                         const StepOptions& steps) override {
    return std::make_unique<SimulationOn<Device>>(device_.another(), particles, time, force, steps,
                                                  ranks_);
  }
  std::unique_ptr<Simulation> resumed(const Particles& particles, const SimulationState& state,
                                      const ForceOptions& force,
                                      const StepOptions& steps) override {
    return std::make_unique<SimulationOn<Device>>(device_.another(), particles, state, force, steps,
                                                  ranks_);
  }

  DeviceIdentity device() const override { return device_.identity(); }
  int threads() const override { return device_.threads(); }

 private:
  Device device_;
  Communicator& ranks_;
};

template <class Device>
std::unique_ptr<Engine> make_engine_on(const DeviceChoice& device, int number,
                                       Communicator& ranks) {
  return std::make_unique<EngineOn<Device>>(Device(device, number), ranks);
}

}  // namespace gothic
