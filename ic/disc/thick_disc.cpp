#include "ic/disc/thick_disc.hpp"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <numbers>
#include <utility>

#include "files/error.hpp"

namespace gothic::ic {
namespace {

// For surface densities.
constexpr std::size_t radii = 2048;
constexpr double centre_in_scales = 1e-5;
constexpr double widths_of_cutoff = 12;  // erfc(6) = 2e-17
constexpr double faintest = 3e-20;       // fraction of the central value that does not matter
constexpr double most_extended = 1e5;

// For thick discs.
constexpr std::size_t rows = 257, columns = 65;
constexpr double innermost_in_scales = 1e-3;
constexpr double top_in_heights = 10;
constexpr double least_depth = 8;  // E_t / s^2

/// Integral of exp(-w^2) - exp(-y) over w from 0 to sqrt(y).
double velocity_moment(double y) {
  if (y < 1e-4) return 2.0 / 3 * y * std::sqrt(y);
  return std::sqrt(std::numbers::pi) / 2 * std::erf(std::sqrt(y)) - std::sqrt(y) * std::exp(-y);
}

RadialGrid make_rows(const Component& component, const SurfaceDensity& surface) {
  return {innermost_in_scales * component.scale, surface.outer_radius(), rows};
}

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
  const RadialGrid grid(centre_in_scales * scale_, outer_, radii);
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

double LoweredIsothermal::density(double rise) const {
  const double y = (top - rise) / variance;
  return y > 0 ? std::exp(y - top / variance) * velocity_moment(y) : 0.0;
}

double LoweredIsothermal::mean_square_velocity(double rise) const {
  const double y = (top - rise) / variance;
  if (y < 1e-4) return y > 0 ? variance * y * 2 / 5 : 0.0;
  const double fall = std::sqrt(y) * std::exp(-y);
  const double second =
      std::sqrt(std::numbers::pi) / 4 * std::erf(std::sqrt(y)) - fall / 2 - fall * y / 3;
  return 2 * variance * second / velocity_moment(y);
}

ThickDisc::ThickDisc(const Component& component, double gravitational_constant)
    : component_(component),
      surface_(component),
      grid_(make_rows(component, surface_), top_in_heights * component.disc.height, columns),
      at_scale_height_(grid_.place(grid_.rows().radius(0), component.disc.height)),
      top_(rows),
      log_variance_(rows),
      log_norm_(rows) {
  // A self-gravitating sheet with surface density Sigma has rho ~ sech^2(z / z0) (Spitzer 1942).
  const double z0 = component.disc.height / std::acosh(std::exp(0.5));
  std::vector<double> rise;
  for (std::size_t i = 0; i < rows; ++i) {
    const double pull = 2 * std::numbers::pi * gravitational_constant *
                        std::max(surface_(grid_.rows().radius(i)), 1e-12 * surface_.central());
    for (const double z : grid_.heights()) rise.push_back(pull * z0 * std::log(std::cosh(z / z0)));
  }
  settle(std::move(rise));
}

double ThickDisc::rise_at_scale(std::size_t row) const {
  double rise = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    rise += at_scale_height_.column_weight[j] * rise_[row * columns + at_scale_height_.column + j];
  }
  return rise;
}

LoweredIsothermal ThickDisc::settled(std::size_t row) const {
  const double top = rise_[(row + 1) * columns - 1], here = rise_at_scale(row);
  const auto excess = [&](double depth) {  // depth is E_t / s^2
    const LoweredIsothermal sheet{top / depth, top};
    return sheet.density(here) / sheet.density(0) - std::exp(-1.0);
  };
  // A sheet without an end would have s^2 = rise(z_d); the end makes it a little hotter.
  const double deepest = 1.01 * std::max(top / here, least_depth);
  if (excess(least_depth) <= 0) return {top / least_depth, top};
  if (!(excess(deepest) <= 0)) {
    throw InputError("component '" + component_.name +
                     "': its surface density and height leave no equilibrium to be found; make the "
                     "density smoother or the height larger");
  }
  boost::uintmax_t steps = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      excess, least_depth, deepest, boost::math::tools::eps_tolerance<double>(40), steps);
  return {2 * top / (low + high), top};
}

double ThickDisc::settle(std::vector<double> rise) {
  double change = 0;
  rise_.swap(rise);
  for (std::size_t i = 0; i < rows; ++i) {
    if (!rise.empty()) {
      const std::size_t j = i * columns + at_scale_height_.column;
      change = std::max(change, std::abs(rise_[j] / rise[j] - 1));
    }
    const LoweredIsothermal sheet = settled(i);
    top_[i] = sheet.top;
    log_variance_[i] = std::log(sheet.variance);
    std::vector<double> density;
    for (std::size_t j = 0; j < columns; ++j) {
      density.push_back(sheet.density(rise_[i * columns + j]));
    }
    log_norm_[i] = -std::log(2 * grid_.integral_to(density).back());
  }
  return change;
}

LoweredIsothermal ThickDisc::sheet(std::size_t row) const {
  return {std::exp(log_variance_[row]), top_[row]};
}

LoweredIsothermal ThickDisc::sheet(const MeridionalGrid::Place& place) const {
  return {std::exp(MeridionalGrid::at_row(log_variance_, place)),
          MeridionalGrid::at_row(top_, place)};
}

double ThickDisc::density(double axis_distance, double height) const {
  if (height >= grid_.top() || axis_distance >= surface_.outer_radius()) return 0;
  const auto place = grid_.place(axis_distance, height);
  return surface_(axis_distance) * std::exp(MeridionalGrid::at_row(log_norm_, place)) *
         sheet(place).density(rise(place));
}

std::vector<double> ThickDisc::relative_density() const {
  std::vector<double> result;
  for (std::size_t i = 0; i < rows; ++i) {
    const LoweredIsothermal here = sheet(i);
    const double norm = std::exp(log_norm_[i]);
    for (std::size_t j = 0; j < columns; ++j) {
      result.push_back(norm * here.density(rise_[i * columns + j]));
    }
  }
  return result;
}

}  // namespace gothic::ic
