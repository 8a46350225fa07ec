#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "core/engine/points.hpp"
#include "core/engine/set_up.hpp"

namespace gothic {

/// Particles, and behind them points without mass, on a device.
template <DeviceType Device>
struct PointSystem {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  PointSystem(const files::Particles& particles, std::span<const files::Vec3> points)
      : first_point(std::uint32_t(particles.size())), points(std::uint32_t(points.size())) {
    const std::vector<Vec4> packed = packed_positions(particles, points);
    for (Buffer<Vec4>* buffer : {&position, &scratch, &old, &acceleration}) {
      buffer->resize(packed.size());
    }
    targets.resize(this->points);
    position.upload(packed);
  }

  std::uint32_t size() const { return first_point + points; }

  std::uint32_t first_point, points;
  Buffer<Vec4> position;          ///< [n] position, mass
  Buffer<Vec4> scratch;           ///< [n]
  Buffer<Vec4> old;               ///< [n] acceleration, for the criterion
  Buffer<Vec4> acceleration;      ///< [n] acceleration, potential
  Buffer<std::uint32_t> targets;  ///< [points] places of the points
};

/// Brings a system into the order of its tree, particle order[i] to place i, and lists the points.
/// What is no target has an infinite acceleration: it shall not count for the criterion where it is
/// the neighbour of one.
template <DeviceType Device>
void order_system(const Device& device, PointSystem<Device>& system, const std::uint32_t* order) {
  const Vec4* const from = system.position.data();
  Vec4 *const to = system.scratch.data(), *const old = system.old.data(),
              *const acceleration = system.acceleration.data();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  device.for_each(system.size(), [=] GOTHIC_HD(std::size_t i) {
    to[i] = from[order[i]];
    old[i] = acceleration[i] = {infinity, 0, 0, 0};
  });
  system.position.swap(system.scratch);
  const std::uint32_t first = system.first_point;
  device.select(
      system.size(), [=] GOTHIC_HD(std::uint32_t i) { return order[i] >= first; },
      system.targets.data());
}

/// Size of groups whose points are as near to each other as particles of usual groups are: as many
/// as lie, on average, among so many particles and points.
template <DeviceType Device>
std::uint32_t group_size_of_points(const PointSystem<Device>& system) {
  constexpr std::uint32_t usual = Device::Defaults::group_size;
  const std::uint64_t among = std::uint64_t(usual) * system.points / system.size();
  return std::bit_floor(std::max(1U, std::uint32_t(among)));
}

/// What was found for the points, in their order.
template <DeviceType Device>
files::Forces forces_of_points(const Device& device, PointSystem<Device>& system,
                               const std::uint32_t* order) {
  const Vec4* const acceleration = system.acceleration.data();
  const std::uint32_t *const targets = system.targets.data(), first = system.first_point;
  Vec4* const out = system.scratch.data();
  device.for_each(system.points, [=] GOTHIC_HD(std::size_t k) {
    out[order[targets[k]] - first] = acceleration[targets[k]];
  });
  system.scratch.resize(system.points);
  std::vector<Vec4> found(system.points);
  system.scratch.download(found);
  files::Forces forces;
  for (const Vec4& a : found) {
    forces.acceleration.push_back({a.x, a.y, a.z});
    forces.potential.push_back(a.w);
  }
  return forces;
}

/// forces_at on one kind of device.
template <DeviceType Device>
PointForces forces_at_on(Device device, const files::Particles& particles,
                         std::span<const files::Vec3> points, const ForceOptions& force) {
  PointForces result;
  ForceSolver<Device> solver(device, force);
  PointSystem<Device> system(particles, points);
  if (force.group_size == 0 && force.sharing == 0) {
    solver.set_step_group_size(group_size_of_points(system));
  }
  typename Device::Timer timer(device);
  solver.sort(system.position.data(), system.size(), timer, result.cost);
  order_system(device, system, solver.order());
  timer.lap(result.cost.sort);
  solver.build(timer, result.cost);
  result.bootstrap_seconds = bootstrap(solver, system.position, system.targets.data(),
                                       system.points, system.old, system.acceleration, timer);
  solver.evaluate(system.position.data(), system.old.data(), system.targets.data(), system.points,
                  system.acceleration.data(), timer, result.cost);
  solver.add_counts(result.cost);
  timer.finish();
  result.forces = forces_of_points(device, system, solver.order());
  result.threads = device.threads();
  result.device_name = device.name();
  return result;
}

}  // namespace gothic
