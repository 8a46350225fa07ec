#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/engine/set_up.hpp"
#include "core/gravity/direct.hpp"

/// Forces on one kind of device, without a simulation.
namespace gothic {

/// Particles on a device, followed by points without mass. Forces are computed for all of them from
/// `first_target` on.
template <DeviceType Device>
struct TargetSystem {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  TargetSystem(std::span<const Vec4> positions, std::uint32_t first_target)
      : first_target(first_target), size(std::uint32_t(positions.size())) {
    for (Buffer<Vec4>* buffer : {&position, &scratch, &old, &acceleration}) buffer->resize(size);
    targets.resize(count());
    position.upload(positions);
  }

  /// Number of targets.
  std::uint32_t count() const { return size - first_target; }

  std::uint32_t first_target, size;
  Buffer<Vec4> position;          ///< [size] position, mass
  Buffer<Vec4> scratch;           ///< [size]
  Buffer<Vec4> old;               ///< [size] acceleration, for the criterion
  Buffer<Vec4> acceleration;      ///< [size] acceleration, potential
  Buffer<std::uint32_t> targets;  ///< [count()] places of the targets
};

/// Brings a system into the order of its tree, particle order[i] to place i, and lists the targets.
/// Particles that are no targets get an infinite acceleration, so that they do not tighten the
/// criterion of a group in whose neighbourhood they are.
template <DeviceType Device>
void order_system(const Device& device, TargetSystem<Device>& system, const std::uint32_t* order) {
  const Vec4* const from = system.position.data();
  Vec4 *const to = system.scratch.data(), *const old = system.old.data(),
              *const acceleration = system.acceleration.data();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  device.for_each(system.size, [=] GOTHIC_HD(std::size_t i) {
    to[i] = from[order[i]];
    old[i] = acceleration[i] = {infinity, 0, 0, 0};
  });
  system.position.swap(system.scratch);
  const std::uint32_t first = system.first_target;
  device.select(
      system.size, [=] GOTHIC_HD(std::uint32_t i) { return order[i] >= first; },
      system.targets.data());
}

/// Group size at which points are as close together as the particles of a group of the usual size:
/// the usual size times the share of targets.
template <DeviceType Device>
std::uint32_t group_size_of_points(const TargetSystem<Device>& system) {
  constexpr std::uint32_t usual = Device::Defaults::group_size;
  const std::uint64_t among = std::uint64_t(usual) * system.count() / system.size;
  return std::bit_floor(std::max(1U, std::uint32_t(among)));
}

/// Forces on the targets, in the order of the input.
template <DeviceType Device>
Forces forces_of_targets(const Device& device, TargetSystem<Device>& system,
                         const std::uint32_t* order) {
  const Vec4* const acceleration = system.acceleration.data();
  const std::uint32_t *const targets = system.targets.data(), first = system.first_target;
  Vec4* const out = system.scratch.data();
  const std::uint32_t count = system.count();
  device.for_each(count, [=] GOTHIC_HD(std::size_t k) {
    out[order[targets[k]] - first] = acceleration[targets[k]];
  });
  system.scratch.resize(count);
  Forces forces;
  for (const Vec4& a : system.scratch.downloaded()) {
    forces.acceleration.push_back({a.x, a.y, a.z});
    forces.potential.push_back(a.w);
  }
  return forces;
}

/// Tree forces on one kind of device.
/// \param positions positions and masses; targets come last
/// \param first_target index of the first target; 0 if all are targets
template <DeviceType Device>
TreeForces tree_forces(Device& device, std::span<const Vec4> positions, std::uint32_t first_target,
                       const ForceOptions& options) {
  TreeForces result;
  TargetSystem<Device> system(positions, first_target);
  ForceOptions own_options = options;
  if (first_target > 0 && options.group_size == 0 && options.sharing == 0) {
    own_options.exact_group_size = group_size_of_points(system);
  }
  ForceSolver<Device> solver(device, own_options);
  typename Device::Timer timer(device);
  solver.sort(system.position.data(), system.size, timer, result.cost);
  order_system(device, system, solver.order());
  timer.lap(result.cost.sort);
  solver.build(timer, result.cost);
  result.bootstrap_seconds = bootstrap(solver, system.position, system.targets.data(),
                                       system.count(), system.old, system.acceleration, timer);
  solver.evaluate(system.position.data(), system.old.data(), system.targets.data(), system.count(),
                  system.acceleration.data(), timer, result.cost);
  solver.add_counts(result.cost);
  timer.finish();
  result.forces = forces_of_targets(device, system, solver.order());
  return result;
}

/// Direct sums on one kind of device.
/// \param positions positions and masses; the first n are the sources
/// \param n number of sources
/// \param targets indices of positions
template <DeviceType Device>
DirectForces summed_forces(const Device& device, std::span<const Vec4> positions, std::uint32_t n,
                           std::span<const std::uint32_t> targets, const DirectOptions& options) {
  const auto count = std::uint32_t(targets.size());
  typename Device::template Buffer<Vec4> position(positions.size());
  typename Device::template Buffer<std::uint32_t> target(count);
  position.upload(positions);
  target.upload(targets);

  DirectForces result;
  const auto sum = [&]<class Real, class Out>(Real, Out, auto compute) {
    typename Device::template Buffer<Out> out(count);
    typename Device::Timer timer(device);
    compute(out.data());
    add_field<Real>(device, options.external, position.data(), target.data(), count, out.data(),
                    true);
    timer.lap(result.seconds);
    timer.finish();
    for (const auto& [x, y, z, potential] : out.downloaded()) {
      result.forces.acceleration.push_back({x, y, z});
      result.forces.potential.push_back(potential);
    }
  };
  const double gravity = options.gravity, softening = options.softening;
  const auto in_single = [&]<Root root>() {
    sum(float{}, Vec4{}, [&](Vec4* out) {
      direct_forces<root>(device, position.data(), n, target.data(), count, gravity, softening,
                          out);
    });
  };
  if (options.precision == Precision::double_precision) {
    sum(double{}, Force{}, [&](Force* out) {
      direct_forces(device, position.data(), n, target.data(), count, gravity, softening, out);
    });
  } else if (options.precision == Precision::single_newton) {
    in_single.template operator()<Root::newton>();
  } else {
    in_single.template operator()<Root::estimate>();
  }
  result.interactions = std::uint64_t(n) * count;
  return result;
}

}  // namespace gothic
