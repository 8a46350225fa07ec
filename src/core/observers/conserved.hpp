#pragma once

#include <cmath>

#include "core/device/combine.hpp"
#include "core/observers/particles_view.hpp"

namespace gothic {

/// Sums over all particles at one time, in double precision and the units of the particles.
struct Conserved {
  double mass = 0;
  double kinetic = 0;
  double potential = 0;  ///< sum m phi / 2 of the particles' own potential, m phi of others'
  double virial = 0;     ///< sum m r . a; after `conserved` with r from the centre of mass
  double momentum[3] = {};
  double angular_momentum[3] = {};
  double center[3] = {};  ///< sum m r; of mass after `conserved`, 0 where there is none
  double force[3] = {};   ///< sum m a

  bool operator==(const Conserved&) const = default;

  double total() const { return kinetic + potential; }
  /// Kinetic energy without that of the motion of the centre of mass.
  double kinetic_about_center() const {
    return mass > 0 ? kinetic - 0.5 * product(momentum, momentum) / mass : 0;
  }
  /// -2 K / sum m r . a about the centre of mass and its velocity, 1 in equilibrium; 0 where
  /// nothing pulls. The virial itself, unlike the potential energy, is not changed by softening.
  double virial_ratio() const { return virial != 0 ? -2 * kinetic_about_center() / virial : 0; }

  GOTHIC_HD friend Conserved operator+(Conserved a, const Conserved& b) {
    a.mass += b.mass;
    a.kinetic += b.kinetic;
    a.potential += b.potential;
    a.virial += b.virial;
    for (int axis = 0; axis < 3; ++axis) {
      a.momentum[axis] += b.momentum[axis];
      a.angular_momentum[axis] += b.angular_momentum[axis];
      a.center[axis] += b.center[axis];
      a.force[axis] += b.force[axis];
    }
    return a;
  }

  static double product(const double (&a)[3], const double (&b)[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
};

/// Sums over the particles of all ranks. In an external field their momentum and angular momentum
/// need not be conserved.
template <class Device>
Conserved conserved(const ParticlesView<Device>& particles) {
  const Vec4 *const position = particles.position, *const velocity = particles.velocity,
                    *const acceleration = particles.acceleration;
  const ExternalField external = particles.external;
  const double time = particles.time;
  const auto one = [=] GOTHIC_DEVICE(std::size_t i) {
    const Vec4 r = position[i], v = velocity[i], a = acceleration[i];
    const double m = r.w, x = r.x, y = r.y, z = r.z, u = v.x, w = v.y, s = v.z;
    return Conserved{m,
                     0.5 * m * (u * u + w * w + s * s),
                     0.5 * m * (a.w + external.template at<double>(r, time).potential),
                     m * (x * a.x + y * a.y + z * a.z),
                     {m * u, m * w, m * s},
                     {m * (y * s - z * w), m * (z * u - x * s), m * (x * w - y * u)},
                     {m * x, m * y, m * z},
                     {m * a.x, m * a.y, m * a.z}};
  };
  Conserved result = particles.reduce(Conserved{}, one, Sum{});
  for (double& axis : result.center) axis /= result.mass > 0 ? result.mass : 1;
  // Forces of a tree do not quite cancel, and fields pull the whole: without this the place of the
  // centre would count.
  constexpr double rounding = 1e-12;  // of sums
  const double of_center = Conserved::product(result.center, result.force);
  result.virial -= of_center;
  if (std::abs(result.virial) <= rounding * std::abs(of_center)) result.virial = 0;
  return result;
}

}  // namespace gothic
