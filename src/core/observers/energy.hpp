#pragma once

#include <cstdint>
#include <vector>

#include "core/observers/conserved.hpp"
#include "core/observers/observer.hpp"
#include "core/observers/particles_view.hpp"
#include "core/observers/tracers.hpp"

namespace gothic {

/// The energy of all particles and what else is conserved.
struct EnergyRecord {
  std::int64_t step = 0;
  double time = 0;
  Conserved sums;
  TracerErrors tracers;
};

/// The columns of an EnergyRecord.
const std::vector<ColumnOf<EnergyRecord>>& energy_columns();

template <class Device>
EnergyRecord energy(const ParticlesView<Device>& particles) {
  return {particles.step, particles.time, conserved(particles), tracer_errors(particles)};
}

}  // namespace gothic
