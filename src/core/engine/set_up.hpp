#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/device/device.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/engine/force_solver.hpp"
#include "core/messages/one_rank.hpp"
#include "core/particles.hpp"
#include "core/ranks/domains.hpp"

/// What comes before the first step, for simulations and measurements.
namespace gothic {

/// Positions and masses as devices take them: the particles in the order of the input, then the
/// points, which have no mass.
inline std::vector<Vec4> packed_positions(const Particles& particles,
                                          std::span<const Vec3> points = {}) {
  std::vector<Vec4> packed;
  packed.reserve(particles.size() + points.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3& r = particles.position[i];
    packed.push_back({r[0], r[1], r[2], particles.mass[i]});
  }
  for (const Vec3& r : points) packed.push_back({r[0], r[1], r[2], 0});
  return packed;
}

/// Takes over the particles, in the order of the input.
/// \param first place of the first in the input of all ranks
template <DeviceType Device>
void upload(Device& device, const Particles& particles, Bodies<Device>& bodies,
            std::uint32_t first = 0) {
  const auto n = std::uint32_t(particles.size());
  bodies.resize(n);
  std::vector<Vec4> host = packed_positions(particles);
  bodies.position.upload(host);
  bodies.predicted.upload(host);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Vec3& v = particles.velocity[i];
    host[i] = {v[0], v[1], v[2], 0};
  }
  bodies.velocity.upload(host);
  start_bodies(device, bodies, first);
}

/// Gives every rank the particles of its domain, sorts them along the curve and builds their tree.
template <DeviceType Device>
void rebuild(Device& device, Bodies<Device>& bodies, ForceSolver<Device>& solver,
             typename Device::Timer& timer, ForceCost& cost, Communicator& ranks = one_rank()) {
  bodies.predicted.resize(bodies.size());  // without those of other ranks
  solver.find_keys(bodies.predicted.data(), bodies.size(), timer, cost);
  if (ranks.size() > 1) {
    redistribute(device, ranks, bodies, solver.keys());
    timer.lap(cost.exchange);
  }
  solver.sort(timer, cost);
  permute(device, bodies, solver.order());
  timer.lap(cost.sort);
  solver.build(timer, cost);
}

/// Finds the accelerations that a relative criterion needs for the first force, with the opening
/// angle as criterion.
/// \param position [n], targets [count]
/// \param acceleration [n] result, for the targets
/// \param scratch [n] values that the result keeps for particles that are no targets
/// \returns its seconds
template <DeviceType Device, class Vectors>
double bootstrap(ForceSolver<Device>& solver, Vectors& position, const std::uint32_t* targets,
                 std::uint32_t count, Vectors& acceleration, Vectors& scratch,
                 typename Device::Timer& timer) {
  constexpr float bootstrap_angle = 0.7F;
  const Acceptance requested = solver.options().acceptance;
  if (!is_relative(requested.mac)) return 0;
  ForceCost cost;
  solver.set_acceptance({Mac::opening, bootstrap_angle, requested.gravity, requested.order});
  solver.evaluate(position, acceleration.data(), targets, count, scratch.data(), timer, cost);
  acceleration.swap(scratch);
  solver.set_acceptance(requested);
  timer.finish();
  return cost.groups + cost.moments + cost.walk + cost.exchange;
}

/// The same for all particles. \param targets all of them
template <DeviceType Device>
double bootstrap(Bodies<Device>& bodies, ForceSolver<Device>& solver, const std::uint32_t* targets,
                 typename Device::Timer& timer) {
  return bootstrap(solver, bodies.predicted, targets, bodies.size(), bodies.acceleration,
                   bodies.new_acceleration, timer);
}

}  // namespace gothic
