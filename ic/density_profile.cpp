#include "ic/density_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace gothic::ic {

DensityProfile::DensityProfile(std::shared_ptr<const Shape> shape, double scale, double cutoff,
                               double cutoff_width)
    : shape_(std::move(shape)),
      scale_(scale),
      cutoff_(cutoff),
      cutoff_width_(cutoff_width),
      outer_radius_(scale * shape_->reach()) {
  if (cutoff > 0) outer_radius_ = std::min(outer_radius_, cutoff + 12 * cutoff_width);
}

Jet DensityProfile::jet(double radius) const {
  const Jet shape = shape_->jet(radius / scale_);
  const Jet g{rho0_ * shape.value, rho0_ / scale_ * shape.first,
              rho0_ / (scale_ * scale_) * shape.second};
  if (cutoff_ == 0) return g;
  const double y = (radius - cutoff_) / (2 * cutoff_width_);
  const double value = std::erfc(y) / 2;
  const double first = -std::exp(-y * y) / (2 * cutoff_width_ * std::sqrt(std::numbers::pi));
  const double second = -y / cutoff_width_ * first;
  return {g.value * value, g.first * value + g.value * first,
          g.second * value + 2 * g.first * first + g.value * second};
}

double DensityProfile::slope(double radius) const {
  const Jet rho = jet(radius);
  return rho.value > 0 ? -rho.first * radius / rho.value : 0;
}

DensityProfile make_profile(const Component& component, double softening) {
  double scale = component.scale;
  if (component.is_black_hole()) {
    scale = component.softening > 0 ? component.softening : softening;
    if (scale <= 0) throw std::invalid_argument("a black hole needs a softening");
  }
  return {make_shape(component), scale, component.cutoff, component.cutoff_width};
}

}  // namespace gothic::ic
