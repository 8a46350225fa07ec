#include "ic/density_profile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gothic::ic {

DensityProfile::DensityProfile(const Component& component)
    : shape_(component.shape),
      scale_(component.scale),
      cutoff_(component.cutoff),
      cutoff_width_(component.cutoff_width),
      outer_radius_(scale_ * shape_->reach()) {
  if (cutoff_ > 0) outer_radius_ = std::min(outer_radius_, cutoff_ + 12 * cutoff_width_);
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

}  // namespace gothic::ic
