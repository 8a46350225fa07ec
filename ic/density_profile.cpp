#include "ic/density_profile.hpp"

#include <cmath>
#include <numbers>

namespace gothic::ic {
namespace {

/// g(x) with its logarithmic derivative and the derivative of that.
struct Shape {
  double value, slope, slope_derivative;
};

Shape shape(ProfileKind kind, double x) {
  const double y = 1 + x;
  switch (kind) {
    case ProfileKind::nfw:
      return {1 / (x * y * y), -1 / x - 2 / y, 1 / (x * x) + 2 / (y * y)};
    case ProfileKind::hernquist:
      return {1 / (x * y * y * y), -1 / x - 3 / y, 1 / (x * x) + 3 / (y * y)};
    default:
      break;
  }
  const double z = 1 + x * x;
  return {1 / (z * z * std::sqrt(z)), -5 * x / z, -5 * (1 - x * x) / (z * z)};
}

/// The factor of the cutoff at `radius`.
Jet cutoff_factor(const Component& component, double radius) {
  if (component.cutoff == 0) return {1, 0, 0};
  const double width = component.cutoff_width;
  const double y = (radius - component.cutoff) / (2 * width);
  const double first = -std::exp(-y * y) / (2 * width * std::sqrt(std::numbers::pi));
  return {std::erfc(y) / 2, first, -y / width * first};
}

}  // namespace

Jet DensityProfile::jet(double radius) const {
  const double scale = component_.scale;
  const Shape s = shape(component_.profile, radius / scale);
  const double g = rho0_ * s.value;
  const double g1 = g * s.slope / scale;
  const double g2 = g * (s.slope_derivative + s.slope * s.slope) / (scale * scale);
  const Jet c = cutoff_factor(component_, radius);
  return {g * c.value, g1 * c.value + g * c.first, g2 * c.value + 2 * g1 * c.first + g * c.second};
}

double DensityProfile::inner_slope() const {
  return component_.profile == ProfileKind::plummer ? 0 : 1;
}

double DensityProfile::outer_slope() const {
  switch (component_.profile) {
    case ProfileKind::nfw:
      return 3;
    case ProfileKind::hernquist:
      return 4;
    default:
      break;
  }
  return 5;
}

double DensityProfile::outer_radius() const {
  if (component_.cutoff == 0) return 1e7 * component_.scale;
  constexpr double widths = 12;  // erfc(6) = 2e-17
  return component_.cutoff + widths * component_.cutoff_width;
}

}  // namespace gothic::ic
