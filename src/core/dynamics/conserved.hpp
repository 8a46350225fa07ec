#pragma once

#include <cmath>

#include "core/dynamics/bodies.hpp"
#include "core/gravity/external_field.hpp"
#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"

namespace gothic {

/// Sums over all particles at one time, in double precision and the units of the particles.
struct Conserved {
  double mass = 0;
  double kinetic = 0;
  double potential = 0;  ///< sum m phi / 2 of the particles' own potential, m phi of others'
  double virial = 0;     ///< sum m r . a
  double momentum[3] = {};
  double angular_momentum[3] = {};
  double center[3] = {};  ///< sum m r; of mass after `conserved`, 0 where there is none

  bool operator==(const Conserved&) const = default;

  double total() const { return kinetic + potential; }
  /// -2 K / sum m r . a, 1 in equilibrium. The virial itself, unlike the potential energy, is not
  /// changed by softening.
  double virial_ratio() const { return virial != 0 ? -2 * kinetic / virial : 0; }
};

/// Sums over the particles; all of them must be at the same time.
/// \param time of the particles
/// \param external that contributes to the potentials in `bodies`. The particles' momentum and
///        angular momentum need not be conserved then.
/// \param ranks that have other particles, if there are any
template <class Device>
Conserved conserved(Device& device, const Bodies<Device>& bodies, double time = 0,
                    const ExternalField& external = {}, Communicator& ranks = one_rank()) {
  const Vec4 *const position = bodies.position.data(), *const velocity = bodies.velocity.data(),
                    *const acceleration = bodies.acceleration.data();
  const auto one = [=] GOTHIC_HD(std::size_t i) {
    const Vec4 r = position[i], v = velocity[i], a = acceleration[i];
    const double m = r.w, x = r.x, y = r.y, z = r.z, u = v.x, w = v.y, s = v.z;
    return Conserved{m,
                     0.5 * m * (u * u + w * w + s * s),
                     0.5 * m * (a.w + external.template at<double>(r, time).potential),
                     m * (x * a.x + y * a.y + z * a.z),
                     {m * u, m * w, m * s},
                     {m * (y * s - z * w), m * (z * u - x * s), m * (x * w - y * u)},
                     {m * x, m * y, m * z}};
  };
  const auto add = [] GOTHIC_HD(Conserved a, const Conserved& b) {
    a.mass += b.mass;
    a.kinetic += b.kinetic;
    a.potential += b.potential;
    a.virial += b.virial;
    for (int axis = 0; axis < 3; ++axis) {
      a.momentum[axis] += b.momentum[axis];
      a.angular_momentum[axis] += b.angular_momentum[axis];
      a.center[axis] += b.center[axis];
    }
    return a;
  };
  Conserved result = reduce_all(device, ranks, bodies.size(), Conserved{}, one, add);
  for (double& axis : result.center) axis /= result.mass > 0 ? result.mass : 1;
  return result;
}

/// Root mean squares of all particles.
struct Roughness {
  double acceleration = 0;
  double change = 0;  ///< of the acceleration in the particle's last step
};

namespace detail {

/// Sums of squares, and how many there are.
struct Squares {
  double acceleration = 0, change = 0, particles = 0;
};

}  // namespace detail

/// How strongly the particles are pulled, and how much that changes in a step.
/// \param ranks that have other particles, if there are any
template <class Device>
Roughness roughness(Device& device, const Bodies<Device>& bodies,
                    Communicator& ranks = one_rank()) {
  using detail::Squares;
  const Vec4 *const acceleration = bodies.acceleration.data(), *const velocity =
                                                                   bodies.velocity.data();
  const Squares sums = reduce_all(
      device, ranks, bodies.size(), Squares{},
      [=] GOTHIC_HD(std::size_t i) {
        const double x = acceleration[i].x, y = acceleration[i].y, z = acceleration[i].z,
                     change = velocity[i].w;
        return Squares{x * x + y * y + z * z, change * change, 1};
      },
      [] GOTHIC_HD(const Squares& a, const Squares& b) {
        return Squares{a.acceleration + b.acceleration, a.change + b.change,
                       a.particles + b.particles};
      });
  return {std::sqrt(sums.acceleration / sums.particles), std::sqrt(sums.change / sums.particles)};
}

}  // namespace gothic
