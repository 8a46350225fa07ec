#pragma once

#include <cstdint>
#include <span>

#include "gravity/pair.hpp"
#include "io/snapshot.hpp"
#include "simulation/simulation.hpp"

namespace gothic {

/// Precision of a direct sum, and for single precision the way to the root.
enum class Precision { single_newton, single_estimate, double_precision };

struct DirectResult {
  io::ReferenceForces forces;  ///< in the order of the targets
  double seconds = 0;
  std::uint64_t interactions = 0;
  int threads = 0;
  std::string device_name;
};

/// Sums the forces of all particles on the targets (indices into `particles`).
///
/// \param gravity G in the units of the particles
/// \throws InputError if the device is not there
DirectResult direct_sum(const DeviceChoice& device, const io::Particles& particles,
                        std::span<const std::uint32_t> targets, double gravity, double softening,
                        Precision precision);

}  // namespace gothic
