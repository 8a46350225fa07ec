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

/// Whether a criterion bounds errors relative to a particle's last acceleration. The first force
/// then needs accelerations from another criterion.
GOTHIC_HD constexpr bool is_relative(Mac mac) { return mac == Mac::acceleration; }

/// A relative criterion takes a particle's |a_i| for at least this fraction of Phi_i^2 / (G M),
/// with the mass M of all particles. Without softening Phi_i^2 / (G M) is at most the sum of the
/// lengths of all pulls on the particle. For galaxies |a_i| is 0.5 to 1 times Phi_i^2 / (G M). But
/// where the pulls cancel, |a_i| is next to nothing, and the criterion would open all cells.
inline constexpr float least_share = 0.003F;

/// The first error of a cell that acts to some order. The moments that are left out are at most
/// b^n B_2, with n = 1 for quadrupoles, 2 for octupoles, ... Acceptance explains the factors.
///
/// Points beside cells of this order may have the fraction `of_points` of its error, or, for the
/// opening angle theta, the fraction `of_points_at(theta)` of theta. A cell acts to a lower order
/// than this one from `nearest[order]` times R_J s_I on, but points have a criterion of their own.
///
/// A cell that mixes softening lengths errs as if b B_2 were larger by `mixture` times m times
/// CellSoftening::mixture. For quadrupoles that is a bound. For octupoles the error falls by a
/// lower power of the distance; with this factor 99 % errors are those of equal lengths.
template <Order order>
struct FirstError;

template <>
struct FirstError<Order::point> {
  static constexpr float of_points = 1;
  static constexpr float nearest[] = {1};
  GOTHIC_HD static float of_points_at(float) { return 1; }
  /// The root of the distance's power in the acceleration criterion.
  GOTHIC_HD static float root(float x) { return std::sqrt(std::sqrt(x)); }
};

template <>
struct FirstError<Order::quadrupole> {
  static constexpr float acceleration = 2, multipole = 4, of_points = 0.5F, mixture = 3;
  static constexpr float nearest[] = {0, 1};
  GOTHIC_HD static float of_points_at(float theta) { return std::sqrt(theta); }
  GOTHIC_HD static float root(float x) { return std::pow(x, 0.2F); }
};

/// The acceleration criterion would accept octupoles where quadrupoles begin, at sqrt 2 R_J s_I,
/// with an eighth of Delta. This factor is the fastest at equal errors.
template <>
struct FirstError<Order::octupole> {
  static constexpr float acceleration = 4, multipole = 5, of_points = 0.0625F, mixture = 12;
  static constexpr float nearest[] = {0, 1.4142135F, 1};
  GOTHIC_HD static float of_points_at(float theta) { return theta; }
  GOTHIC_HD static float root(float x) { return std::cbrt(std::sqrt(x)); }
};

/// A criterion and its accuracy parameter, for cells that act to some order.
///
/// All criteria have one form: a cell may act as a whole on particles that are no nearer than R_J
/// s_I, and no nearer than its size b_J. The acceptance radius R_J belongs to the cell and is found
/// once a step; the scale s_I belongs to the group of particles: a power of the smallest |a_i| of
/// the group for the acceleration criterion, 1 for the others. The walk itself knows nothing of
/// criteria.
///
/// The published criteria above are for points. With quadrupoles the first error is due to the
/// third moments, which are at most b B_2; with octupoles it is due to the fourth moments, which
/// are at most b^2 B_2:
///  * acceleration: 2 G b B_2 / d^5 <= Delta |a_i|, and 4 G b^2 B_2 / d^6; the factors make forces
///    at least as exact as with points and the same Delta;
///  * multipole: 4 G b B_2 / (d^3 (d - b)^2) <= Delta, and 5 G b^2 B_2 / (d^4 (d - b)^2), the next
///    orders of Salmon & Warren (1994);
///  * opening: the same cells, with smaller errors.
struct Acceptance {
  Mac mac = Mac::acceleration;
  float accuracy = 0.0078125F;  ///< Delta_acc, Delta_mul (an acceleration), or theta; positive
  float gravity = 1;            ///< G in the units of the particles
  Order order = Order::quadrupole;
  /// Whether cells act from some least distances on only (update_acceptance), and |a_i| counts for
  /// no less than least_share tells. The published criteria have neither.
  bool has_bounds = true;

  bool operator==(const Acceptance&) const = default;

  /// R_J of a cell of mass m, size b and second moment B_2: a length for `multipole` and `opening`,
  /// a length times a root of an acceleration for `acceleration`.
  /// \param mixture see CellSoftening::mixture; with it, cells that mix softening lengths
  /// \tparam own the order, as the compiler knows it
  template <Order own>
  GOTHIC_HD float radius(float m, float b, float second_moment, float mixture = 0) const {
    if (mac == Mac::opening) return b / accuracy;
    const bool is_acceleration = mac == Mac::acceleration;
    if constexpr (own == Order::point) {
      if (is_acceleration) return std::sqrt(b * std::sqrt(gravity * m / accuracy));
      return 0.5F * b +
             std::sqrt(0.25F * b * b + std::sqrt(3 * gravity * second_moment / accuracy));
    } else {
      float factor = is_acceleration ? FirstError<own>::acceleration : FirstError<own>::multipole;
      for (int n = 1; n < int(own); ++n) factor *= b;
      const float moment =
          gravity * b * second_moment + FirstError<own>::mixture * (gravity * m * mixture);
      const float error = factor * (moment / accuracy);
      return is_acceleration ? FirstError<own>::root(error)
                             : multipole_radius<int(own) + 2>(error, b);
    }
  }

  /// s_I of particles whose smallest acceleration is `smallest`.
  GOTHIC_HD float scale(float smallest) const {
    if (!is_relative(mac)) return 1;
    const float acceleration = std::fmax(smallest, 1e-30F);
    return 1 / with_order(order, [acceleration]<Order own>() {
             return FirstError<own>::root(acceleration);
           });
  }

  /// The criterion for cells that act as points beside others that act with higher moments. Points
  /// may have half of the error that quadrupoles may have, or a sixteenth of the error that
  /// octupoles may have. These fractions are the fastest at equal errors. For the opening angle the
  /// condition is (b / d)^2 <= theta^3 or theta^4, so that points err no more than the others at
  /// the angle theta.
  GOTHIC_HD Acceptance of_points() const {
    Acceptance points = *this;
    points.order = Order::point;
    points.accuracy *= with_order(order, [mac = mac, theta = accuracy]<Order own>() {
      return mac == Mac::opening ? FirstError<own>::of_points_at(theta)
                                 : FirstError<own>::of_points;
    });
    return points;
  }

 private:
  /// The distance d > b at which d^n (d - b)^2 = k, by Newton's method. It starts from the smaller
  /// of two upper bounds, which follow from d > b and from d > d - b. The function is convex there,
  /// so that no step goes below the result.
  template <int n>
  GOTHIC_HD static float multipole_radius(float k, float b) {
    const auto lower_power = [](float x) {
      float power = x * x;
      for (int k = 3; k < n; ++k) power *= x;
      return power;
    };
    float d = b + std::fmin(std::pow(k, 1.0F / (n + 2)), std::sqrt(k / (lower_power(b) * b)));
    for (int i = 0; i < 4 && d > b; ++i) {
      const float e = d - b;
      d -= (d * e - k / (lower_power(d) * e)) / (float(n) * e + 2 * d);
    }
    return d;
  }
};

/// The least value that a relative criterion takes for |a_i|, over Phi_i^2; see least_share.
/// \param mass of all particles
/// \param alone whether the potentials are due to the particles alone; if not, there is no bound
GOTHIC_HD inline float least_acceleration(const Acceptance& acceptance, float mass, bool alone) {
  const bool is_bound = acceptance.has_bounds && alone && mass > 0;
  return is_bound ? least_share / (acceptance.gravity * mass) : 0;
}

/// The smallest and the largest share of a particle in the softening; see softening_share().
struct SofteningBounds {
  float least_share, most_share;

  static SofteningBounds of_equal(float length) {
    return {softening_share(length), softening_share(length)};
  }
};

/// The softening of the pairs of a cell with particles that are near it.
struct CellSoftening {
  float square;        ///< largest eps^2 of such a pair
  float variance = 0;  ///< of the shares of the cell's particles, over their mass

  /// Of a cell among particles whose shares in the softening are between two bounds. The variance
  /// of numbers within bounds is largest if all of them are bounds (Bhatia & Davis 2000).
  GOTHIC_HD static CellSoftening of_mean(float mean, float least, float most) {
    return {mean + most, std::fmax((most - mean) * (mean - least), 0.0F)};
  }

  /// Bound of |sum m_j (share_j - mean) r_j| / m: how far apart a cell has particles with different
  /// lengths. A cell's share is the mean over its mass, so the potential errs first by 3/2 g^5 R
  /// times this sum (Saitoh & Makino 2012), and the acceleration by at most 6 g^5 times it.
  GOTHIC_HD float mixture(float mean_square_radius) const {
    return variance > 0 ? std::sqrt(variance * mean_square_radius) : 0;
  }
};

/// Largest errors of cells due to the softening, as fractions of the cell's pull. These errors
/// point to the cell. While the tree is new, cells lie around a particle, and the errors cancel.
/// When the particles have moved on, cells lie ahead of a particle rather than behind it, and the
/// errors heat (docs/checks.md). The fractions are then smaller for a finer accuracy, so that the
/// distances below grow as fast as the distances of the acceleration criterion.
struct SofteningTolerance {
  float of_points, of_quadrupoles;
  /// Of points that mix softening lengths: their errors have no preferred direction.
  float of_mixtures;

  /// \param moved whether the particles have moved since the tree was built
  static SofteningTolerance when(bool moved, const Acceptance& acceptance) {
    const float share = is_relative(acceptance.mac) ? acceptance.accuracy / 0x1p-7F : 1;
    const float factor = std::fmin(share, 1.0F);
    if (!moved) return {1e-2F, 2.5e-2F, 1e-2F * factor};
    return {6e-4F * factor, 2e-3F * factor, 1e-2F * factor};
  }

  /// Distance from which a cell pulls nearly like a point. The first errors are 5/2 (B_2 / m) eps^2
  /// / s^4 times the pull, with s^2 = d^2 + eps^2, and the errors of a mixture of lengths.
  GOTHIC_HD float point_distance(float mean_square_radius, const CellSoftening& eps) const {
    const float s4 =
        (2.5F * eps.square * mean_square_radius + spread_error * eps.variance) / of_points;
    float s2 = std::sqrt(s4);
    if (eps.variance > 0) {
      const float s3 = 6 * eps.mixture(mean_square_radius) / of_mixtures;
      s2 = std::fmax(s2, std::cbrt(s3 * s3));
    }
    return std::sqrt(std::fmax(s2 - eps.square, 0.0F));
  }

  /// Distance from which a cell pulls nearly like a quadrupole. The first error is 7/2 <r^4> eps^2
  /// / s^6 times the pull, where <r^4> is about b^2 B_2 / (2 m).
  GOTHIC_HD float quadrupole_distance(float mean_square_radius, float b,
                                      const CellSoftening& eps) const {
    const float s6 = 1.75F * eps.square * b * b * mean_square_radius / of_quadrupoles;
    float s2 = std::cbrt(s6);
    if (eps.variance > 0) {
      s2 = std::fmax(s2, std::sqrt(spread_error * eps.variance / of_quadrupoles));
    }
    return std::sqrt(std::fmax(s2 - eps.square, 0.0F));
  }

  /// The spread of lengths strengthens the pull by this times the variance of the shares, over s^4.
  static constexpr float spread_error = 1.875F;
};

/// Cells with higher moments act as points only from this multiple of their size on. Otherwise
/// large cells of few particles far out would act as points. They hardly change an acceleration.
/// But all particles see the same cells, and the errors of their potentials add up in the energy.
inline constexpr float nearest_point = 1.5F;

namespace detail {

/// The reach of a cell of mass m, size b and second moment B_2; see update_acceptance.
/// \param of_points the criterion for cells that act as points beside others
template <Order order>
GOTHIC_HD inline Vec4 reach_of_cell(const Acceptance& acceptance, const Acceptance& of_points,
                                    float m, float b, float second_moment,
                                    const CellSoftening& softening,
                                    const SofteningTolerance& tolerance) {
  const float square = m > 0 ? second_moment / m : 0;
  Vec4 reach;
  if constexpr (order == Order::point) {
    reach = {acceptance.radius<order>(m, b, second_moment), b, 0, 0};
  } else {
    reach = {acceptance.radius<order>(m, b, second_moment, softening.mixture(square)),
             std::fmax(b, tolerance.quadrupole_distance(square, b, softening)),
             of_points.radius<Order::point>(m, b, second_moment),
             std::fmax(nearest_point * b, tolerance.point_distance(square, softening))};
  }
  if (!acceptance.has_bounds) reach.y = reach.w = 0;
  return reach;
}

template <Order order, class Device>
void update_reach(Device& device, Tree<Device>& tree, const Acceptance& acceptance,
                  const SofteningBounds& bounds, const SofteningTolerance& tolerance) {
  const Vec4* const center = tree.center.data();
  const float* const size = tree.size.data();
  const Moments<Order::quadrupole>* const second =
      tree.moments.template of<Order::quadrupole>().data();
  Vec4* const reach = tree.reach.data();
  const float* const share = tree.view().cell_share;
  const Acceptance of_points = acceptance.of_points();
  device.for_each(tree.all_cells(), [=] GOTHIC_DEVICE(std::size_t cell) {
    const CellSoftening softening =
        share != nullptr
            ? CellSoftening::of_mean(share[cell], bounds.least_share, bounds.most_share)
            : CellSoftening{2 * bounds.most_share};
    reach[cell] = reach_of_cell<order>(acceptance, of_points, center[cell].w, size[cell],
                                       second[cell].trace(), softening, tolerance);
  });
}

}  // namespace detail

/// Sets the reach of every cell from its moments. A cell acts as a whole on particles no nearer
/// than max(x s_I, y), where x is R_J. Where cells have higher moments, a cell acts as a point on
/// particles no nearer than max(z s_I, w), with the scale s_I of the criterion for points.
///
/// y is at least b_J, which keeps cells from acting on particles inside them. The opening angle and
/// the multipole criterion imply it. The acceleration criterion does not: without the bound, a cell
/// that holds two distant galaxies could act on the particles of one of them.
/// \param bounds of the particles' shares
template <class Device>
void update_acceptance(Device& device, Tree<Device>& tree, const Acceptance& acceptance,
                       const SofteningBounds& bounds, const SofteningTolerance& tolerance) {
  with_order(acceptance.order, [&device, &tree, &acceptance, &bounds, &tolerance]<Order order>() {
    detail::update_reach<order>(device, tree, acceptance, bounds, tolerance);
  });
}

}  // namespace gothic
