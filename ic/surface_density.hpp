#pragma once

#include <functional>

#include "ic/model.hpp"
#include "ic/radial_table.hpp"

namespace gothic::ic {

/// The surface density of a disc, Sigma(R) = Sigma0 g(R / scale) erfc((R - cutoff) / (2 width)) /
/// 2, normalised to the disc's mass, where
///   g(x) = exp(-x)                        (exponential_disc),
///   g(x) = exp(-b_n x^(1/n))              (sersic_disc, scale = effective radius; Sersic 1963),
///   ln g = spline of the table in ln R    (table_disc).
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
  std::function<double(double)> log_shape_;  // ln g(x)
  double scale_, cutoff_, cutoff_width_, outer_, central_ = 1;
  RadialTable mass_;
};

}  // namespace gothic::ic
