#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/engine/accuracy_choice.hpp"
#include "core/engine/engine.hpp"
#include "core/engine/force_probe.hpp"
#include "core/engine/force_solver.hpp"
#include "core/engine/set_up.hpp"
#include "core/gravity/direct.hpp"
#include "core/messages/slices.hpp"
#include "core/ranks/domains.hpp"

/// Forces on one kind of device, without a simulation.
namespace gothic {

/// Particles on a device, and points without mass. Particles that are only sources have the numbers
/// below `first_target`, targets the numbers from it on. Numbers count over all ranks.
template <DeviceType Device>
struct TargetSystem {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  /// \param positions of the own rank; targets come last
  /// \param lengths of softening, of each position; none if all are equal
  /// \param own_sources number of positions that are no targets
  TargetSystem(std::span<const Vec4> positions, std::span<const float> lengths,
               std::size_t own_sources, Communicator& ranks, bool has_lengths)
      : sources(slices_of(ranks, own_sources)),
        wanted(slices_of(ranks, positions.size() - own_sources)),
        first_target(std::uint32_t(sources.all)) {
    particles.resize(std::uint32_t(positions.size()));
    position.upload(positions);
    if (has_lengths) {
      softening = &particles.template add<float>("Softening", Storage::none);
      softening->upload(lengths);
    }
  }

  std::uint32_t size() const { return particles.size(); }
  /// Number of targets that this rank has now.
  std::uint32_t count() const { return std::uint32_t(targets.size()); }

  Slices sources, wanted;
  std::uint32_t first_target;
  SortedParticles<Device> particles;
  /// position, mass
  Buffer<Vec4>& position = particles.template add<Vec4>("Position", Storage::none);
  Buffer<float>* softening = nullptr;  ///< lengths; null if all are equal
  /// number of the particle or the point in the input, from 0 on
  Buffer<std::uint32_t>& number = particles.template add<std::uint32_t>("Number", Storage::none);
  // in the order of the tree
  Buffer<std::uint32_t> targets;  ///< [count()] places of the targets
  Buffer<Vec4> old;               ///< [size] acceleration, for the criterion
  Buffer<Vec4> acceleration;      ///< [size] acceleration, potential
};

/// Gives every source and target its number in the input.
template <DeviceType Device>
void number_system(const Device& device, TargetSystem<Device>& system) {
  const auto source = std::uint32_t(system.sources.first), own = std::uint32_t(system.sources.own),
             target = system.first_target + std::uint32_t(system.wanted.first);
  std::uint32_t* const number = system.number.data();
  device.for_each(system.size(), [=] GOTHIC_DEVICE(std::size_t i) {
    const auto k = std::uint32_t(i);
    number[i] = k < own ? source + k : target + (k - own);
  });
}

/// Lists the targets of a system that is in the order of its tree. Particles that are no targets
/// get an infinite acceleration, so that they do not tighten the criterion of a group in whose
/// neighbourhood they are.
template <DeviceType Device>
void list_targets(const Device& device, TargetSystem<Device>& system) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  system.old.resize(system.size());
  system.acceleration.resize(system.size());
  fill(device, system.old.data(), system.size(), Vec4{infinity, 0, 0, 0});
  fill(device, system.acceleration.data(), system.size(), Vec4{infinity, 0, 0, 0});
  const std::uint32_t* const number = system.number.data();
  const std::uint32_t first = system.first_target;
  list_chosen(
      device, system.size(), [=] GOTHIC_DEVICE(std::uint32_t i) { return number[i] >= first; },
      system.targets);
}

/// Group size at which points are as close together as the particles of a group of the usual size:
/// the usual size times the share of targets.
template <DeviceType Device>
std::uint32_t group_size_of_points(const TargetSystem<Device>& system) {
  constexpr std::uint32_t usual = Device::Defaults::group_size;
  const std::uint64_t among =
      std::uint64_t(usual) * system.wanted.all / (system.sources.all + system.wanted.all);
  return std::bit_floor(std::max(1U, std::uint32_t(among)));
}

/// Forces on the targets of the own rank, in the order of the input.
template <DeviceType Device>
Forces forces_of_targets(const Device& device, TargetSystem<Device>& system, Communicator& ranks) {
  struct Found {
    std::uint32_t number;
    Vec4 acceleration;
  };
  const std::uint32_t count = system.count();
  Forces forces;
  if (ranks.size() == 1) {
    typename Device::template Buffer<float> acceleration(3 * std::size_t(count)), potential(count);
    const Vec4* const found = system.acceleration.data();
    const std::uint32_t *const places = system.targets.data(), *const number = system.number.data();
    const std::uint32_t first = system.first_target;
    float *const a = acceleration.data(), *const phi = potential.data();
    device.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) {
      const Vec4 one = found[places[k]];
      const std::size_t out = number[places[k]] - first;
      a[3 * out] = one.x;
      a[3 * out + 1] = one.y;
      a[3 * out + 2] = one.z;
      phi[out] = one.w;
    });
    forces.acceleration.resize(count);
    acceleration.download(flat(forces.acceleration));
    forces.potential = potential.downloaded();
    return forces;
  }
  const auto of_targets = [&](const auto& values) {
    return system.particles.downloaded(device, values, system.targets.data(), count);
  };
  const auto acceleration = of_targets(system.acceleration);
  const auto number = of_targets(system.number);
  std::vector<Found> found(count);
  for (std::size_t k = 0; k < count; ++k) {
    found[k] = {number[k] - system.first_target, acceleration[k]};
  }
  found = sent_to_owners(ranks, std::move(found),
                         [&](const Found& one) { return system.wanted.owner(one.number); });
  forces.acceleration.resize(found.size());
  forces.potential.resize(found.size());
  for (const auto& [place, a] : found) {
    const std::size_t out = place - system.wanted.first;
    forces.acceleration[out] = {a.x, a.y, a.z};
    forces.potential[out] = a.w;
  }
  return forces;
}

/// What tells targets apart where the errors of their forces are sampled: [targets of the own rank]
/// IDs, and numbers of their components.
struct TargetNames {
  std::span<const std::uint64_t> ids;
  std::span<const std::int32_t> components;
};

/// Sets a solver to the criterion that gives the error that is asked for.
/// \param result gets the criterion, and what it took to find it
/// \returns the probe, for the errors of the force that follows
template <DeviceType Device>
ForceProbe<Device> choose_for_targets(Device& device, Communicator& ranks,
                                      TargetSystem<Device>& system, const TargetNames& names,
                                      ForceSolver<Device>& solver, Forest<Device>& forest,
                                      const Instant<Device>& now, const ForceOptions& wanted,
                                      TreeForces& result) {
  typename Device::Timer timer(device);
  ForceProbe<Device> probe(
      device, ranks,
      error_sample(ranks, names.ids, names.components, system.first_target + system.wanted.first,
                   sampled_for_choice));
  probe.sum(system.size(), system.number.data(), system.position.data(),
            forest.tree().view().particle_share, now.time, wanted);
  result.acceptance =
      choose_accuracy(device, ranks, probe, solver, forest, now,
                      {system.targets.data(), system.count()}, wanted, system.acceleration)
          .acceptance;
  result.choice_seconds = timer.finish();
  return probe;
}

/// Tree forces on one kind of device.
/// \param positions positions and masses of the own rank; targets come last
/// \param lengths of softening, of each position; none if options have one for all
/// \param sources number of positions that are no targets; 0 if all are targets
/// \param names of the targets, where an error is asked for
/// \param time of the particles
template <DeviceType Device>
TreeForces tree_forces(Device& device, std::span<const Vec4> positions,
                       std::span<const float> lengths, std::size_t sources,
                       const TargetNames& names, double time, const ForceOptions& options,
                       Communicator& ranks) {
  TreeForces result;
  TargetSystem<Device> system(positions, lengths, sources, ranks,
                              !options.component_softening.empty());
  number_system(device, system);
  ForceOptions own_options = options;
  if (system.sources.all > 0 && options.group_size == 0 && options.sharing == 0) {
    own_options.exact_group_size = group_size_of_points(system);
  }
  ForceSolver<Device> solver(device, own_options);
  Forest<Device> forest(device, ranks);
  typename Device::Timer timer(device);
  forest.grow(system.particles, {system.position, system.softening}, 0, solver.settings().options(),
              timer, result.cost);
  list_targets(device, system);
  timer.lap(result.cost.sort);
  const ForceTargets targets{system.targets.data(), system.count()};
  Instant<Device> now{.time = time,
                      .moved = false,
                      .position = system.position,
                      .old_acceleration = system.old.data()};
  result.bootstrap_seconds =
      solver.scale(forest, now, targets, system.old.data(), system.acceleration.data(), timer);
  std::optional<ForceProbe<Device>> probe;
  if (options.error > 0) {
    probe.emplace(
        choose_for_targets(device, ranks, system, names, solver, forest, now, own_options, result));
    timer.skip();
  }
  solver.find_first(forest, now, targets, system.old.data(), system.acceleration.data(), timer,
                    result.cost);
  result.cost.counts = solver.counted().get();
  timer.finish();
  result.cost = combined(ranks, result.cost, ForceCost::together);
  if (probe) {
    result.errors = force_errors({.time = time,
                                  .components = probe->components(),
                                  .forces = probe->compared(system.acceleration.data()),
                                  .acceptance = result.acceptance});
  }
  result.forces = forces_of_targets(device, system, ranks);
  return result;
}

/// Direct sums on one kind of device.
/// \param positions positions and masses; the first n are the sources
/// \param lengths of softening, of each position; none if options have one for all
/// \param n number of sources
/// \param targets indices of positions
/// \param time of the particles
template <DeviceType Device>
DirectForces summed_forces(const Device& device, std::span<const Vec4> positions,
                           std::vector<float> lengths, std::uint32_t n,
                           std::span<const std::uint32_t> targets, double time,
                           const DirectOptions& options) {
  const auto count = std::uint32_t(targets.size());
  typename Device::template Buffer<Vec4> position(positions.size());
  typename Device::template Buffer<std::uint32_t> target(count);
  position.upload(positions);
  target.upload(targets);
  for (float& length : lengths) length = softening_share(length);
  typename Device::template Buffer<float> share(lengths.size());
  share.upload(lengths);
  const float* const shares = lengths.empty() ? nullptr : share.data();

  DirectForces result;
  const auto sum = [&]<class Real, class Out>(Real, Out, auto compute) {
    typename Device::template Buffer<Out> out(count);
    typename Device::Timer timer(device);
    compute(out.data());
    add_field<Real>(device, options.external, time, position.data(), target.data(), count,
                    out.data(), true);
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
      direct_forces<root>(device, position.data(), shares, n,
                          {position.data(), shares, target.data(), count}, gravity, softening, out);
    });
  };
  if (options.precision == Precision::double_precision) {
    sum(double{}, Force{}, [&](Force* out) {
      direct_forces(device, position.data(), shares, n,
                    {position.data(), shares, target.data(), count}, gravity, softening, out);
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
