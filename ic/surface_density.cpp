#include "ic/surface_density.hpp"

#include <cmath>
#include <numbers>

#include "files/error.hpp"
#include "ic/quadrature.hpp"
#include "ic/shape_sersic.hpp"
#include "ic/shape_table.hpp"

namespace gothic::ic {
namespace {

constexpr std::size_t radii = 2048;
constexpr double innermost_in_scales = 1e-5;
constexpr double widths_of_cutoff = 12;  // erfc(6) = 2e-17
constexpr double faintest = -45;         // ln of a surface density that does not matter
constexpr double most_extended = 1e5;

std::function<double(double)> log_shape(const Component& disc) {
  if (disc.profile == ProfileKind::sersic_disc) {
    const double b = sersic_b(disc.n), power = 1 / disc.n;
    return [b, power](double x) { return -b * std::pow(x, power); };
  }
  if (disc.profile == ProfileKind::table_disc) {
    return [table = tabulated_shape(disc.table)](double x) { return std::log(table.jet(x).value); };
  }
  return [](double x) { return -x; };
}

}  // namespace

SurfaceDensity::SurfaceDensity(const Component& disc)
    : log_shape_(log_shape(disc)),
      scale_(disc.scale),
      cutoff_(disc.cutoff),
      cutoff_width_(disc.cutoff_width),
      outer_(disc.scale) {
  if (cutoff_ > 0) {
    outer_ = cutoff_ + widths_of_cutoff * cutoff_width_;
  } else {
    while (log_shape_(outer_ / scale_) > faintest) {
      if (outer_ > most_extended * scale_) {
        throw InputError("component '" + disc.name +
                         "': its surface density falls too slowly; add cutoff and cutoff_width");
      }
      outer_ *= 1.1;
    }
  }
  static const GaussRule<7> rule;
  const RadialGrid grid(innermost_in_scales * scale_, outer_, radii);
  const auto per_step = [&](double t) {
    return 2 * std::numbers::pi * std::exp(2 * t) * (*this)(std::exp(t));
  };
  std::vector<double> mass{per_step(grid.t(0)) / 2}, slope{per_step(grid.t(0))};
  for (std::size_t i = 1; i < grid.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < rule.node.size(); ++k) {
      sum += rule.weight[k] * per_step(grid.t(i - 1) + grid.step() * rule.node[k]);
    }
    mass.push_back(mass.back() + grid.step() * sum);
    slope.push_back(per_step(grid.t(i)));
  }
  central_ = disc.mass / mass.back();
  for (double& value : mass) value *= central_;
  for (double& value : slope) value *= central_;
  mass_ = RadialTable(grid, mass, slope);
}

double SurfaceDensity::operator()(double radius) const {
  if (radius >= outer_) return 0;
  const double factor = cutoff_ > 0 ? std::erfc((radius - cutoff_) / (2 * cutoff_width_)) / 2 : 1.0;
  return central_ * std::exp(log_shape_(radius / scale_)) * factor;
}

}  // namespace gothic::ic
