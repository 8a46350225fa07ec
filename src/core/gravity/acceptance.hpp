#pragma once

#include <cmath>
#include <cstdint>

#include "core/tree/tree.hpp"

namespace gothic {

/// The multipole acceptance criteria of Miki & Umemura (2017), section 2.2.
enum class Mac {
  acceleration,  ///< d >= (G m b^2 / (Delta |a_i|))^(1/4), Springel (2005)
  multipole,     ///< d >= b/2 + sqrt(b^2/4 + sqrt(3 G B_2 / Delta)), Salmon & Warren (1994)
  opening        ///< b / d <= theta, Barnes & Hut (1986)
};

/// Whether a criterion bounds errors relative to a particle's last acceleration, of which the first
/// force needs some.
GOTHIC_HD constexpr bool is_relative(Mac mac) { return mac == Mac::acceleration; }

/// A criterion and its accuracy parameter.
///
/// All three have one form: a cell may be used as a whole by particles that are no nearer than
/// R_J s_I, and no nearer than its size b_J. The acceptance radius R_J belongs to the cell and is
/// found once a step; the scale s_I belongs to the group of particles: |a_i|^(-1/4) with the
/// smallest |a_i| of the group for the acceleration criterion, 1 for the others. The walk itself
/// knows nothing of criteria.
struct Acceptance {
  Mac mac = Mac::acceleration;
  float accuracy = 0.0078125F;  ///< Delta_acc, Delta_mul (an acceleration), or theta; positive
  float gravity = 1;            ///< G in the units of the particles

  /// R_J of a cell of mass m, size b and second moment B_2. In units of length for `multipole` and
  /// `opening`, and times the fourth root of an acceleration for `acceleration`.
  GOTHIC_HD float radius(float m, float b, float second_moment) const {
    switch (mac) {
      case Mac::acceleration:
        return std::sqrt(b * std::sqrt(gravity * m / accuracy));
      case Mac::multipole:
        return 0.5F * b +
               std::sqrt(0.25F * b * b + std::sqrt(3 * gravity * second_moment / accuracy));
      default:
        return b / accuracy;
    }
  }

  /// s_I of particles whose smallest acceleration is `smallest`.
  GOTHIC_HD float scale(float smallest) const {
    if (!is_relative(mac)) return 1;
    return 1 / std::sqrt(std::sqrt(std::fmax(smallest, 1e-30F)));
  }
};

/// Sets the acceptance radius of every cell from its moments.
template <class Device>
void update_acceptance(Device& device, Tree<Device>& tree, const Acceptance& acceptance) {
  const Vec4* const center = tree.center.data();
  const float* const size = tree.size.data();
  const float* const second_moment = tree.second_moment.data();
  float* const radius = tree.acceptance_radius.data();
  device.for_each(tree.cells(), [=] GOTHIC_HD(std::size_t cell) {
    radius[cell] = acceptance.radius(center[cell].w, size[cell], second_moment[cell]);
  });
}

}  // namespace gothic
