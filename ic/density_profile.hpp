#pragma once

#include <memory>

#include "ic/model.hpp"
#include "ic/shape.hpp"

namespace gothic::ic {

/// The density of a component, rho0 g(r / scale) erfc((r - cutoff) / (2 width)) / 2, where g is its
/// shape.
class DensityProfile {
 public:
  /// Of a sphere or a black hole, with rho0 = 1; see normalised().
  explicit DensityProfile(const Component& component);

  double rho0() const { return rho0_; }
  void set_rho0(double rho0) { rho0_ = rho0; }

  double operator()(double radius) const { return jet(radius).value; }
  Jet jet(double radius) const;

  /// The radius where the density bends: the scale, of a table the radius that it says.
  double scale() const { return scale_ * shape_->size(); }

  /// -d ln rho / d ln r; 0 where there is no density.
  double slope(double radius) const;

  /// The radius beyond which the mass does not matter: 12 widths beyond the cutoff, where erfc is
  /// 2e-17, or the reach of the shape if that is less.
  double outer_radius() const { return outer_radius_; }

 private:
  std::shared_ptr<const Shape> shape_;
  double scale_, cutoff_, cutoff_width_;
  double rho0_ = 1;
  double outer_radius_;
};

}  // namespace gothic::ic
