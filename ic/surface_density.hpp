#pragma once

#include <cmath>
#include <memory>

#include "ic/model.hpp"
#include "ic/radial_table.hpp"
#include "ic/shape.hpp"

namespace gothic::ic {

/// The surface density of a disc, normalised to its mass, with g its shape:
///
///   Sigma(R) = Sigma0 g(R / scale) erfc((R - cutoff) / (2 width)) / 2.
class SurfaceDensity {
 public:
  /// Throws InputError for a table that falls too slowly to be of use without cutoff.
  explicit SurfaceDensity(const Component& disc);

  double operator()(double radius) const;

  /// Sigma0: what the centre would have without cutoff; for a table, 1 of its units.
  double central() const { return central_; }

  /// Mass within the cylinder of this radius, and the other way round.
  double mass(double radius) const { return mass_(std::log(radius)); }
  double radius_of_mass(double mass) const { return std::exp(mass_.inverse(mass)); }

  /// Beyond this radius there is nothing.
  double outer_radius() const { return outer_; }

 private:
  std::shared_ptr<const Shape> shape_;
  double scale_, cutoff_, cutoff_width_, outer_, central_ = 1;
  RadialTable mass_;
};

}  // namespace gothic::ic
