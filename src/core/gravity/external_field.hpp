#pragma once

#include <cmath>
#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/vec4.hpp"

/// Static potentials with an analytic form, which pull the particles and are not pulled by them.
namespace gothic {

/// Acceleration and potential of a field at one place.
template <class Real>
struct FieldValue {
  Real x = 0, y = 0, z = 0, potential = 0;
};

/// One static potential about a centre. None of them is softened; all are finite everywhere. Where
/// the acceleration has no direction, at the centre of a cusp, it is taken for zero.
struct ExternalPotential {
  enum class Kind {
    nfw,             ///< Navarro, Frenk & White (1996)
    hernquist,       ///< Hernquist (1990)
    miyamoto_nagai,  ///< Miyamoto & Nagai (1975), equation 4; its axis is z
    logarithmic      ///< Binney & Tremaine (2008), equation 2.71a, 0 at the centre; its axis is z
  };
  Kind kind = Kind::nfw;
  double strength = 0;  ///< G M, for nfw with M = 4 pi rho_s r_s^3; v_0^2 if logarithmic
  double scale = 1;     ///< r_s, a, a (which may be 0), or the core radius R_c
  double shape = 1;     ///< b of Miyamoto & Nagai, or the potential's axis ratio q
  double center[3] = {};

  /// The potential at a place in the field's coordinates. The present kinds are the same at all
  /// times.
  template <class Real>
  GOTHIC_HD FieldValue<Real> at(const Vec4& place, double /*time*/) const {
    const Real x = Real(place.x) - Real(center[0]), y = Real(place.y) - Real(center[1]),
               z = Real(place.z) - Real(center[2]);
    switch (kind) {
      case Kind::nfw:
        return nfw(x, y, z);
      case Kind::hernquist:
        return hernquist(x, y, z);
      case Kind::miyamoto_nagai:
        return miyamoto_nagai(x, y, z);
      default:
        return logarithmic(x, y, z);
    }
  }

  /// Root of the sum of (da_i / dx_j)^2, the square of a frequency: on a circular orbit about a
  /// point mass it is sqrt(6) times the square of the orbit's frequency. Closer to the centre of a
  /// cusp than 1e-4 scales it has its value at 1e-4 scales.
  GOTHIC_HD double gradient(const Vec4& place) const {
    const double x = double(place.x) - center[0], y = double(place.y) - center[1],
                 z = double(place.z) - center[2], planar = std::sqrt(x * x + y * y);
    switch (kind) {
      case Kind::nfw:
      case Kind::hernquist:
        return spherical_gradient(std::sqrt(planar * planar + z * z));
      case Kind::miyamoto_nagai:
        return miyamoto_nagai_gradient(planar, z);
      default:
        return logarithmic_gradient(planar, z);
    }
  }

 private:
  /// The root of the sum from the components of the symmetric da_i / dx_j: along R, around the
  /// axis, along z, and of R and z together.
  GOTHIC_HD static double norm(double radial, double around, double vertical, double mixed) {
    return std::sqrt(radial * radial + around * around + vertical * vertical + 2 * mixed * mixed);
  }

  GOTHIC_HD double spherical_gradient(double r) const {
    const double u = std::fmax(r / scale, 1e-4), w = u / (1 + u), v = 1 / (1 + u);
    const double unit = strength / (scale * scale * scale);
    if (kind == Kind::hernquist) return unit * norm(2 * v * v * v, v * v / u, v * v / u, 0);
    const double around = nfw_mass(u, w) * v * v / u;
    return unit * norm(v * v / u - 2 * around, around, around, 0);
  }

  GOTHIC_HD double miyamoto_nagai_gradient(double planar, double z) const {
    const double b2 = shape * shape, height = std::sqrt(z * z + b2), sum = scale + height;
    const double d2 = planar * planar + sum * sum, slope = sum * z / height;
    const double unit = strength / (d2 * std::sqrt(d2));
    return unit * norm(1 - 3 * planar * planar / d2, 1,
                       1 + scale * b2 / (height * height * height) - 3 * slope * slope / d2,
                       3 * planar * slope / d2);
  }

  GOTHIC_HD double logarithmic_gradient(double planar, double z) const {
    const double stretched = z / (shape * shape);
    const double sum = scale * scale + planar * planar + z * stretched;
    return strength / sum *
           norm(1 - 2 * planar * planar / sum, 1,
                1 / (shape * shape) - 2 * stretched * stretched / sum,
                2 * planar * stretched / sum);
  }

  /// A spherical field: an acceleration of size `pull` towards the centre, at the distance r.
  template <class Real>
  GOTHIC_HD static FieldValue<Real> central(Real x, Real y, Real z, Real r, Real pull,
                                            Real potential) {
    const Real weight = r > 0 ? -pull / r : Real(0);
    return {weight * x, weight * y, weight * z, potential};
  }

  /// (ln(1 + u) - w) / w^2 with w = u / (1 + u), which is the sum of w^k / (k + 2). The sum is used
  /// where the difference would lose digits.
  template <class Real>
  GOTHIC_HD static Real nfw_mass(Real u, Real w) {
    if (u > Real(0.25)) return (std::log1p(u) - w) / (w * w);
    constexpr int terms = sizeof(Real) == sizeof(double) ? 24 : 11;
    Real sum = 0;
    for (int k = terms - 1; k >= 0; --k) sum = sum * w + 1 / Real(k + 2);
    return sum;
  }

  /// -G M ln(1 + u) / r with u = r / r_s.
  template <class Real>
  GOTHIC_HD FieldValue<Real> nfw(Real x, Real y, Real z) const {
    const Real r = std::sqrt(x * x + y * y + z * z), rs = Real(scale), u = r / rs;
    const Real inverse = 1 / (1 + u), w = u * inverse, mass = nfw_mass(u, w);
    const Real unit = Real(strength) / rs;
    return central(x, y, z, r, unit / rs * mass * (inverse * inverse),
                   -unit * (1 + w * mass) * inverse);
  }

  /// -G M / (r + a)
  template <class Real>
  GOTHIC_HD FieldValue<Real> hernquist(Real x, Real y, Real z) const {
    const Real r = std::sqrt(x * x + y * y + z * z), inverse = 1 / (r + Real(scale));
    const Real potential = Real(strength) * inverse;
    return central(x, y, z, r, potential * inverse, -potential);
  }

  /// -G M / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2)
  template <class Real>
  GOTHIC_HD FieldValue<Real> miyamoto_nagai(Real x, Real y, Real z) const {
    const Real b = Real(shape), height = std::sqrt(z * z + b * b), sum = Real(scale) + height;
    const Real inverse = 1 / std::sqrt(x * x + y * y + sum * sum);
    const Real potential = Real(strength) * inverse, weight = -potential * (inverse * inverse);
    return {weight * x, weight * y, weight * (sum / height) * z, -potential};
  }

  /// v_0^2 / 2 ln(1 + (R^2 + z^2 / q^2) / R_c^2)
  template <class Real>
  GOTHIC_HD FieldValue<Real> logarithmic(Real x, Real y, Real z) const {
    const Real v2 = Real(strength), core2 = Real(scale) * Real(scale);
    const Real stretched = z / (Real(shape) * Real(shape)), m2 = x * x + y * y + z * stretched;
    const Real weight = -v2 / (core2 + m2);
    return {weight * x, weight * y, weight * stretched, v2 / 2 * std::log1p(m2 / core2)};
  }
};

/// The sum of some static potentials; kernels take it by value.
struct ExternalField {
  static constexpr int most = 8;  ///< potentials
  ExternalPotential potentials[most];
  int count = 0;

  /// The field at a place in the units of the particles, at a time.
  template <class Real>
  GOTHIC_HD FieldValue<Real> at(const Vec4& place, double time) const {
    FieldValue<Real> sum;
    for (int k = 0; k < count; ++k) {
      const FieldValue<Real> one = potentials[k].template at<Real>(place, time);
      sum.x += one.x;
      sum.y += one.y;
      sum.z += one.z;
      sum.potential += one.potential;
    }
    return sum;
  }

  /// An upper bound of ExternalPotential::gradient for the whole field, at any time.
  GOTHIC_HD double gradient(const Vec4& place) const {
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += potentials[k].gradient(place);
    return sum;
  }
};

/// Adds the field to accelerations and potentials of targets, in the precision of Real.
/// \param time of the particles
/// \param position [n], targets [count]
/// \param out result: particle i has place i or, if `is_packed`, targets[k] has place k
template <class Real, class Device, class Out>
void add_field(const Device& device, const ExternalField& field, double time, const Vec4* position,
               const std::uint32_t* targets, std::uint32_t count, Out* out,
               bool is_packed = false) {
  if (field.count == 0) return;
  device.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) {
    const std::size_t i = targets[k];
    const FieldValue<Real> own = field.template at<Real>(position[i], time);
    Out& sum = out[is_packed ? k : i];
    const auto [x, y, z, potential] = sum;
    sum = {x + own.x, y + own.y, z + own.z, potential + own.potential};
  });
}

}  // namespace gothic
