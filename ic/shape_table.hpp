#pragma once

#include <array>
#include <vector>

#include "ic/shape.hpp"

namespace gothic::ic {

/// A density given at some radii: a cubic spline of ln g in ln x, twice continuously
/// differentiable. Beyond the last radius it goes on as a power law. Within the first its slope
/// goes on as the power of x, from 0 to 2, that the first rows follow: 0 is a power law, 2 a flat
/// core.
class TabulatedShape final : public Shape {
 public:
  /// Natural logarithms of at least two radii, increasing, and of the density there.
  /// Throws std::invalid_argument if there are fewer, if their numbers differ or do not increase.
  TabulatedShape(std::vector<double> log_radius, std::vector<double> log_density);

  Jet jet(double x) const override;

  /// The first radius of the table where the density falls as x^-2 or faster; the last, if none.
  double size() const override { return size_; }

 private:
  std::vector<double> log_radius_;
  std::vector<double> log_density_;
  std::vector<double> curvature_;  // d^2 ln g / d(ln x)^2 at the radii
  double power_ = 0;
  double size_ = 1;
};

/// The shape that rows of radius and density tell.
TabulatedShape tabulated_shape(const std::vector<std::array<double, 2>>& rows);

}  // namespace gothic::ic
