#pragma once

#include <memory>

#include "ic/model.hpp"

namespace gothic::ic {

/// A function with its first two derivatives.
struct Jet {
  double value = 0;
  double first = 0;
  double second = 0;
};

/// A spherical density without dimensions: g(x), where x is the radius in units of the scale.
class Shape {
 public:
  Shape() = default;
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  virtual ~Shape() = default;

  /// g, g' and g'' at x > 0; zero where the density has ended.
  virtual Jet jet(double x) const = 0;

  /// The x where the density bends: 1, but for tables.
  virtual double size() const { return 1; }

  /// The x beyond which the mass does not matter: where x^3 g has fallen to 1e-16 of its maximum,
  /// and of power laws 1e7 times that of the maximum. Far off where x^3 g does not fall.
  virtual double reach() const;
};

/// g as a jet, from ln g and its first two derivatives with respect to ln x.
Jet from_logarithm(double x, const Jet& logarithm);

/// The shape of a sphere or a black hole:
///   plummer       (1 + x^2)^(-5/2)                                  (Plummer 1911)
///   hernquist     1 / (x (1 + x)^3)                                 (Hernquist 1990, eq. 2)
///   nfw           1 / (x (1 + x)^2)                                 (Navarro et al. 1997, eq. 1)
///   burkert       1 / ((1 + x) (1 + x^2))                           (Burkert 1995, eq. 2)
///   moore         1 / (x^1.5 (1 + x^1.5))                           (Moore et al. 1999)
///   einasto       exp(-2 / alpha (x^alpha - 1))                     (Einasto 1965)
///   double_power  x^-gamma (1 + x^alpha)^((gamma - beta) / alpha)   (Zhao 1996, eq. 1)
///   king, sersic, table                                   see KingShape, SersicShape,
///   TabulatedShape black_hole    as plummer, whose potential is that of a softened point mass
/// Throws std::invalid_argument for a disc.
std::shared_ptr<const Shape> make_shape(const Component& component);

}  // namespace gothic::ic
