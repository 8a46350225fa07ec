#pragma once

#include <cstdint>
#include <vector>

#include "device/device.hpp"
#include "dynamics/bodies.hpp"
#include "gravity/force_solver.hpp"
#include "io/snapshot.hpp"

/// What comes before the first step, for simulations and measurements.
namespace gothic {

/// Positions and masses as devices take them, in the order of the input.
inline std::vector<Vec4> packed_positions(const io::Particles& particles) {
  std::vector<Vec4> packed(particles.size());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const io::Vec3& r = particles.position[i];
    packed[i] = {r[0], r[1], r[2], particles.mass[i]};
  }
  return packed;
}

/// Takes over the particles, in the order of the input, and lists all of them as targets.
template <DeviceType Device>
void upload(Device& device, const io::Particles& particles, Bodies<Device>& bodies,
            typename Device::template Buffer<std::uint32_t>& targets) {
  const auto n = std::uint32_t(particles.size());
  bodies.resize(n);
  targets.resize(n);
  std::vector<Vec4> host = packed_positions(particles);
  bodies.position.upload(host);
  bodies.predicted.upload(host);
  for (std::uint32_t i = 0; i < n; ++i) {
    const io::Vec3& v = particles.velocity[i];
    host[i] = {v[0], v[1], v[2], 0};
  }
  bodies.velocity.upload(host);
  start_bodies(device, bodies, targets.data());
}

/// Sorts the particles along the curve and builds their tree.
template <DeviceType Device>
void rebuild(Device& device, Bodies<Device>& bodies, ForceSolver<Device>& solver,
             typename Device::Timer& timer, ForceCost& cost) {
  solver.sort(bodies.predicted.data(), bodies.size(), timer, cost);
  permute(device, bodies, solver.order());
  timer.lap(cost.sort);
  solver.build(timer, cost);
}

/// The acceleration criterion needs accelerations before there are any: those of a first force with
/// the opening angle. Other criteria need none.
/// \param targets all particles
/// \returns its seconds
template <DeviceType Device>
double bootstrap(Bodies<Device>& bodies, ForceSolver<Device>& solver, const std::uint32_t* targets,
                 typename Device::Timer& timer) {
  constexpr float bootstrap_angle = 0.7F;
  const Acceptance requested = solver.options().acceptance;
  if (requested.mac != Mac::acceleration) return 0;
  ForceCost cost;
  solver.set_acceptance({Mac::opening, bootstrap_angle, requested.gravity});
  solver.evaluate(bodies.predicted.data(), bodies.acceleration.data(), targets, bodies.size(),
                  bodies.new_acceleration.data(), timer, cost);
  bodies.acceleration.swap(bodies.new_acceleration);
  solver.set_acceptance(requested);
  timer.finish();
  return cost.groups + cost.moments + cost.walk;
}

}  // namespace gothic
