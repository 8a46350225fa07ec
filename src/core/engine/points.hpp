#pragma once

#include <span>
#include <string>

#include "core/engine/simulation.hpp"
#include "core/gravity/force_solver.hpp"
#include "files/snapshot.hpp"

namespace gothic {

/// Tree forces at points.
struct PointForces {
  files::Forces forces;  ///< in the order of the points
  ForceCost cost;
  double bootstrap_seconds = 0;  ///< of the force that tells the criterion the accelerations
  int threads = 0;
  std::string device_name;
};

/// Finds accelerations and potentials that the particles, and the external field of `force`, have
/// at points. The points are targets without mass in the tree of the particles, which get no
/// forces themselves. A point on a particle feels that particle's softened potential, too.
///
/// \param points in the units of the particles, at least one
/// \throws InputError if the device is not there or has not enough memory
PointForces forces_at(const DeviceChoice& device, const files::Particles& particles,
                      std::span<const files::Vec3> points, const ForceOptions& force);

}  // namespace gothic
