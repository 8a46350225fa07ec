#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ic/radial_table.hpp"

namespace gothic::ic {

/// Radius and density: a row of a table.
using DensityRow = std::array<double, 2>;

/// A density without dimensions, of a sphere or of the surface of a disc: g(x), where x is the
/// radius in units of the component's scale.
class Shape {
 public:
  Shape() = default;
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  virtual ~Shape() = default;

  /// g, g' and g'' at x > 0; zero where the density has ended.
  virtual Jet jet(double x) const = 0;

  /// The logarithmic slopes -d ln g / d ln x at the centre and far out. A model is refused where
  /// they stand for infinite energy or an infinite extent.
  struct Slopes {
    double inner = 0, outer = std::numeric_limits<double>::infinity();
  };
  virtual Slopes slopes() const { return {}; }

  /// The x where the density bends.
  virtual double size() const { return 1; }

  /// The x beyond which the mass does not matter: where x^3 g has fallen to 1e-16 of its maximum,
  /// or for power laws 1e7 times the x of that maximum. Far out where x^3 g does not fall.
  virtual double reach() const;

  /// The rows that the density was read from; none for a formula.
  virtual const std::vector<DensityRow>& rows() const;
};

/// g as a jet, from ln g and its first two derivatives with respect to ln x.
inline Jet from_logarithm(double x, const Jet& logarithm) {
  const double g = std::exp(logarithm.value), slope = logarithm.first;
  return {g, g * slope / x, g * (logarithm.second + slope * (slope - 1)) / (x * x)};
}

}  // namespace gothic::ic
