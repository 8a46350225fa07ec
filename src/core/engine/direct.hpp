#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engine/simulation.hpp"
#include "core/gravity/external_field.hpp"
#include "core/gravity/pair.hpp"
#include "files/snapshot.hpp"

namespace gothic {

/// Precision of a direct sum, and for single precision the way to the root.
enum class Precision { single_newton, single_estimate, double_precision };

struct DirectResult {
  files::ReferenceForces forces;  ///< in the order of the targets
  double seconds = 0;
  std::uint64_t interactions = 0;
  int threads = 0;
  std::string device_name;
};

/// Indices of `count` particles, evenly spread over the order of their IDs, in that order; of all
/// if count is 0.
std::vector<std::uint32_t> spread_targets(const files::Particles& particles, std::uint32_t count);

/// Sums the forces of all particles on the targets (indices into `particles`).
///
/// \param gravity G in the units of the particles
/// \param external added to the sums in their precision
/// \throws InputError if the device is not there
DirectResult direct_sum(const DeviceChoice& device, const files::Particles& particles,
                        std::span<const std::uint32_t> targets, double gravity, double softening,
                        Precision precision, const ExternalField& external = {});

/// The same at points, in their order, where there need not be a particle. A point on a particle
/// feels that particle's softened potential, too.
DirectResult direct_sum_at(const DeviceChoice& device, const files::Particles& particles,
                           std::span<const files::Vec3> points, double gravity, double softening,
                           Precision precision, const ExternalField& external = {});

}  // namespace gothic
