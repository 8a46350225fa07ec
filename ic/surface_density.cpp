#include "ic/surface_density.hpp"

#include <cmath>
#include <numbers>

#include "files/error.hpp"
#include "ic/quadrature.hpp"

namespace gothic::ic {
namespace {

constexpr std::size_t radii = 2048;
constexpr double innermost_in_scales = 1e-5;
constexpr double widths_of_cutoff = 12;  // erfc(6) = 2e-17
constexpr double faintest = 3e-20;       // share of the centre that does not matter
constexpr double most_extended = 1e5;

}  // namespace

SurfaceDensity::SurfaceDensity(const Component& disc)
    : shape_(disc.shape),
      scale_(disc.scale),
      cutoff_(disc.cutoff),
      cutoff_width_(disc.cutoff_width),
      outer_(disc.scale) {
  if (cutoff_ > 0) {
    outer_ = cutoff_ + widths_of_cutoff * cutoff_width_;
  } else {
    while (shape_->jet(outer_ / scale_).value > faintest) {
      if (outer_ > most_extended * scale_) {
        throw InputError("component '" + disc.name +
                         "': its surface density falls too slowly; add cutoff and cutoff_width");
      }
      outer_ *= 1.1;
    }
  }
  const RadialGrid grid(innermost_in_scales * scale_, outer_, radii);
  const auto per_step = [&](double t) {
    return 2 * std::numbers::pi * std::exp(2 * t) * (*this)(std::exp(t));
  };
  std::vector<double> mass = integrals_to(grid, per_step, per_step(grid.t(0)) / 2), slope;
  for (std::size_t i = 0; i < grid.size(); ++i) slope.push_back(per_step(grid.t(i)));
  central_ = disc.mass / mass.back();
  for (double& value : mass) value *= central_;
  for (double& value : slope) value *= central_;
  mass_ = RadialTable(grid, mass, slope);
}

double SurfaceDensity::operator()(double radius) const {
  if (radius >= outer_) return 0;
  const double factor = cutoff_ > 0 ? std::erfc((radius - cutoff_) / (2 * cutoff_width_)) / 2 : 1.0;
  return central_ * shape_->jet(radius / scale_).value * factor;
}

}  // namespace gothic::ic
