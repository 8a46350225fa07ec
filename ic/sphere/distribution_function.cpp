#include "ic/sphere/distribution_function.hpp"

#include <algorithm>
#include <numbers>

#include "core/device/host_pieces.hpp"

namespace gothic::ic {
namespace {

constexpr double tiny = 1e-300;
const double log_tiny = std::log(tiny);

/// Number of intervals next to the singularity of Eddington's integrand that are treated apart.
constexpr std::size_t near_intervals = 8;

/// Number of intervals of a SpeedDistribution; even, for Simpson's rule.
constexpr std::size_t speed_intervals = 512;

/// d^2rho_Q/dPsi^2 |dPsi/dt| of a component over t = ln r, from analytic derivatives of rho.
class Integrand {
 public:
  Integrand(const SphericalSystem& system, std::size_t component, double anisotropy_radius)
      : system_(system),
        component_(component),
        inverse_square_(anisotropy_radius > 0 ? std::pow(anisotropy_radius, -2) : 0) {}

  double operator()(double t) const {
    const double r = std::exp(t);
    const double g = system_.gravitational_constant();
    const double pull = g * system_.mass(t) / (r * r);  // -dPsi/dr
    const Jet own = system_.profiles()[component_].jet(r);
    const double density = own.value + system_.density_beside(component_, r);
    const double psi2 = 2 * pull / r - 4 * std::numbers::pi * g * density;
    const Jet rho = augmented(own, r);
    return (rho.second * pull + rho.first * psi2) * r / (pull * pull);
  }

 private:
  Jet augmented(const Jet& rho, double r) const {
    const double factor = 1 + r * r * inverse_square_;
    const double first = 2 * r * inverse_square_, second = 2 * inverse_square_;
    return {rho.value * factor, rho.first * factor + rho.value * first,
            rho.second * factor + 2 * rho.first * first + rho.value * second};
  }

  const SphericalSystem& system_;
  std::size_t component_;
  double inverse_square_;
};

/// Quadrature points over the first intervals of the grid. A point adds weight / sqrt(deficit -
/// D(E)) to Eddington's integral.
struct Points {
  static constexpr unsigned per_interval = 3;
  std::vector<double> weight, deficit;
};

Points tabulate(const SphericalSystem& system, const Integrand& integrand, double last_t,
                std::size_t intervals, unsigned threads) {
  const RadialGrid& grid = system.grid();
  const GaussRule<Points::per_interval> rule;
  Points points;
  points.weight.resize(intervals * rule.node.size());
  points.deficit.resize(points.weight.size());
  for_pieces(intervals, 64, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t k = 0; k < rule.node.size(); ++k) {
        // The integrand may go as the square root of the distance from the edge, as in a King
        // model.
        const bool at_end = i + 1 == intervals;
        const double left = 1 - rule.node[k], width = at_end ? last_t - grid.t(i) : grid.step();
        const double t = grid.t(i) + width * (at_end ? 1 - left * left : rule.node[k]);
        const std::size_t point = i * rule.node.size() + k;
        points.weight[point] = rule.weight[k] * width * (at_end ? 2 * left : 1) * integrand(t);
        points.deficit[point] = system.deficit(t);
      }
    }
  });
  return points;
}

/// The part of Eddington's integral from t0, where Psi = E, to t1. With t = t0 + (t1 - t0) sin^2 a
/// the integrand has no singularity left, neither at t0 nor at an edge at t1.
double near_part(const SphericalSystem& system, const Integrand& integrand, double t0, double t1) {
  static const GaussRule<20> rule;
  const double range = t1 - t0;
  const double deficit = system.deficit(t0);
  // The difference of two deficits may drown in rounding far out; it is never below this value.
  const double least = system.deficit_slope(t0) / 2;
  double sum = 0;
  for (std::size_t k = 0; k < rule.node.size(); ++k) {
    const double a = std::numbers::pi / 2 * rule.node[k];
    const double sine = std::sin(a), from_t0 = range * sine * sine;
    const double t = t0 + from_t0;
    const double energy_left = std::max(system.deficit(t) - deficit, least * from_t0);  // E - Psi
    sum += rule.weight[k] * sine * std::cos(a) * integrand(t) / std::sqrt(energy_left);
  }
  return std::numbers::pi * range * sum;
}

double far_part(const Points& points, std::size_t first_interval, double deficit) {
  double sum = 0;
  for (std::size_t k = first_interval * Points::per_interval; k < points.weight.size(); ++k) {
    sum += points.weight[k] / std::sqrt(points.deficit[k] - deficit);
  }
  return sum;
}

}  // namespace

DistributionFunction::DistributionFunction(const SphericalSystem& system, std::size_t component,
                                           unsigned threads, double anisotropy_radius)
    : system_(&system),
      component_(component),
      anisotropy_radius_(anisotropy_radius),
      last_t_(
          std::min(system.grid().last_t(), std::log(system.profiles()[component].outer_radius()))),
      value_(system.grid().size()) {
  const RadialGrid& grid = system.grid();
  // Intervals that begin before the end, by more than rounding.
  const std::size_t intervals = grid.place(last_t_ - 1e-6 * grid.step()).index + 1;
  const Integrand integrand(system, component, anisotropy_radius);
  const Points points = tabulate(system, integrand, last_t_, intervals, threads);
  const double factor = 1 / (std::sqrt(8.0) * std::numbers::pi * std::numbers::pi);
  for_pieces(intervals, 32, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t boundary = std::min(i + near_intervals, intervals);
      const double t = grid.t(i), near_end = std::min(grid.t(boundary), last_t_);
      value_[i] = factor * (near_part(system, integrand, t, near_end) +
                            far_part(points, boundary, system.deficit(t)));
    }
  });
  log_value_.reserve(value_.size());
  for (std::size_t i = 0; i < intervals; ++i) {
    // f falls linearly to zero at an edge; its logarithm would not be smooth.
    log_value_.push_back(std::log(std::max(value_[i] / (last_t_ - grid.t(i)), tiny)));
  }
  log_value_.resize(value_.size(), log_value_.back());
}

double DistributionFunction::stretch(double radius) const {
  return anisotropy_radius_ > 0 ? 1 + std::pow(radius / anisotropy_radius_, 2) : 1;
}

double DistributionFunction::at(double t) const {
  if (t >= last_t_) return 0;
  const auto [i, x] = system_->grid().place(t);
  const std::size_t before = i == 0 ? 0 : i - 1;
  const std::size_t after = std::min(i + 2, value_.size() - 1);
  const double lowest =
      std::min({log_value_[before], log_value_[i], log_value_[i + 1], log_value_[after]});
  if (lowest <= log_tiny) return std::max(0.0, value_[i] + x * (value_[i + 1] - value_[i]));
  // Catmull-Rom: a cubic Hermite polynomial with central differences as slopes.
  const double y0 = log_value_[i], y1 = log_value_[i + 1];
  const double m0 = (y1 - log_value_[before]) / 2, m1 = (log_value_[after] - y0) / 2;
  const double z = 1 - x;
  return (last_t_ - t) *
         std::exp(z * z * ((1 + 2 * x) * y0 + x * m0) + x * x * ((1 + 2 * z) * y1 - z * m1));
}

DistributionFunction::Minimum DistributionFunction::minimum() const {
  const RadialGrid& grid = system_->grid();
  constexpr double negligible = 1e-9;
  const double total = system_->total_mass(component_);
  const std::size_t first =
      grid.place(std::log(system_->radius_of_mass(component_, negligible * total))).index;
  const std::size_t last =
      grid.place(std::log(system_->radius_of_mass(component_, (1 - negligible) * total))).index;
  const auto lowest = std::min_element(value_.begin() + static_cast<std::ptrdiff_t>(first),
                                       value_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  const auto i = static_cast<std::size_t>(lowest - value_.begin());
  return {value_[i], system_->potential(grid.t(i)), grid.radius(i)};
}

double DistributionFunction::negative_mass_fraction() const {
  const RadialGrid& grid = system_->grid();
  constexpr std::size_t stride = 8;
  double mass = 0;
  for (std::size_t i = 0; i < value_.size(); i += stride) {
    // -4 pi integral over negative f of f v^2 dv, with v dv = dD and v^2 / 2 = D - D(r).
    const double here = system_->deficit(grid.t(i));
    double density = 0;
    for (std::size_t j = i + 1; j < value_.size(); ++j) {
      if (value_[j] >= 0) continue;
      const double t = grid.t(j);
      density -=
          value_[j] * std::sqrt(2 * (system_->deficit(t) - here)) * system_->deficit_slope(t);
    }
    const double r = grid.radius(i);
    mass += 4 * std::numbers::pi * density / stretch(r) * grid.step() * r * r * r;
  }
  mass *= 4 * std::numbers::pi * grid.step() * stride;
  return mass / system_->total_mass(component_);
}

SpeedDistribution::SpeedDistribution(const DistributionFunction& f, double t)
    : stretch_(f.stretch(std::exp(t))),
      speed_(speed_intervals + 1),
      within_(speed_intervals + 1),
      rate_(speed_intervals + 1) {
  // E = Psi(exp(t + w^2)) makes v and f v^2 dv/dw smooth in w, also where v -> 0.
  const double step = std::sqrt(std::max(0.0, f.last_t() - t)) / speed_intervals;
  const SphericalSystem& system = f.system();
  const double here = system.deficit(t);
  for (std::size_t k = 1; k <= speed_intervals; ++k) {
    const double w = step * static_cast<double>(k);
    const double turning = t + w * w;
    speed_[k] = std::sqrt(2 * std::max(0.0, system.deficit(turning) - here));
    rate_[k] = f.at(turning) * speed_[k] * system.deficit_slope(turning) * 2 * w * step;
  }
  // Simpson's rule over pairs of intervals; its parabola divides each pair.
  for (std::size_t k = 0; k < speed_intervals; k += 2) {
    const double a = rate_[k], b = rate_[k + 1], c = rate_[k + 2];
    within_[k + 1] = within_[k] + std::max(0.0, (5 * a + 8 * b - c) / 12);
    within_[k + 2] = std::max(within_[k + 1], within_[k] + (a + 4 * b + c) / 3);
  }
}

double SpeedDistribution::quantile(double q) const {
  const double wanted = q * within_.back();
  const auto above = std::upper_bound(within_.begin(), within_.end(), wanted);
  if (above == within_.end()) return speed_.back();
  const std::size_t k = static_cast<std::size_t>(above - within_.begin()) - 1;
  // The rate changes linearly within an interval, and is scaled to match the interval's integral.
  const double share = (wanted - within_[k]) / (within_[k + 1] - within_[k]);
  const double a = rate_[k], b = rate_[k + 1];
  const double x = share * (a + b) / (a + std::sqrt(a * a + share * (b * b - a * a)));
  return speed_[k] + x * (speed_[k + 1] - speed_[k]);
}

double SpeedDistribution::density() const {
  return 4 * std::numbers::pi * within_.back() / stretch_;
}

double SpeedDistribution::radial_dispersion() const {
  double sum = 0;
  for (std::size_t k = 1; k < speed_intervals; k += 2) {
    sum += 4 * rate_[k] * speed_[k] * speed_[k] + 2 * rate_[k + 1] * speed_[k + 1] * speed_[k + 1];
  }
  sum -= rate_.back() * speed_.back() * speed_.back();
  return within_.back() > 0 ? std::sqrt(sum / 3 / (3 * within_.back())) : 0;
}

}  // namespace gothic::ic
