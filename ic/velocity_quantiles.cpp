#include "ic/velocity_quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ic/parallel.hpp"

namespace gothic::ic {
namespace {

/// Points of a SpeedDistribution; even, for Simpson's rule.
constexpr std::size_t intervals = 512;

/// Levels of VelocityQuantiles are even in s(q), which resolves both ends: slow particles, whose
/// number goes as v^3, and those near the escape speed.
constexpr std::size_t levels = 256;

double level(double q) { return (std::cbrt(q) + 1 - std::sqrt(std::sqrt(1 - q))) / 2; }

double fraction_at(double s) {
  double low = 0, high = 1;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (level(middle) < s ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

SpeedDistribution::SpeedDistribution(const SphericalSystem& system, const DistributionFunction& f,
                                     double t)
    : stretch_(f.stretch(std::exp(t))),
      speed_(intervals + 1),
      within_(intervals + 1),
      rate_(intervals + 1) {
  // With E = Psi(exp(t + w^2)) both v and f v^2 dv/dw are smooth in w, also where v -> 0.
  const double step = std::sqrt(std::max(0.0, f.last_t() - t)) / intervals;
  const double here = system.deficit(t);
  for (std::size_t k = 1; k <= intervals; ++k) {
    const double w = step * static_cast<double>(k);
    const double turning = t + w * w;
    const double slope =
        system.gravitational_constant() * system.mass(turning) / std::exp(turning);  // dD/dt
    speed_[k] = std::sqrt(2 * std::max(0.0, system.deficit(turning) - here));
    rate_[k] = f.at(turning) * speed_[k] * slope * 2 * w * step;
  }
  // Simpson's rule over pairs of intervals; its parabola divides each pair.
  for (std::size_t k = 0; k < intervals; k += 2) {
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
  // The rate changes linearly within an interval; scaled to match the interval's integral.
  const double share = (wanted - within_[k]) / (within_[k + 1] - within_[k]);
  const double a = rate_[k], b = rate_[k + 1];
  const double x = share * (a + b) / (a + std::sqrt(a * a + share * (b * b - a * a)));
  return speed_[k] + x * (speed_[k + 1] - speed_[k]);
}

double SpeedDistribution::density() const {
  return 4 * std::numbers::pi * within_.back() / stretch_;
}

double SpeedDistribution::dispersion() const {
  double sum = 0;
  for (std::size_t k = 1; k < intervals; k += 2) {
    sum += 4 * rate_[k] * speed_[k] * speed_[k] + 2 * rate_[k + 1] * speed_[k + 1] * speed_[k + 1];
  }
  sum -= rate_.back() * speed_.back() * speed_.back();
  return within_.back() > 0 ? std::sqrt(sum / 3 / (3 * within_.back())) : 0;
}

double SpeedDistribution::tangential_dispersion() const {
  return dispersion() / std::sqrt(stretch_);
}

VelocityQuantiles::VelocityQuantiles(const SphericalSystem& system, const DistributionFunction& f,
                                     unsigned threads)
    : rows_(system.grid().radius(0), std::exp(f.last_t() - system.grid().step()),
            system.grid().size() / 2),
      speed_(rows_.size() * (levels + 1)) {
  std::vector<double> fractions(levels + 1);
  for (std::size_t k = 0; k <= levels; ++k) {
    fractions[k] = fraction_at(static_cast<double>(k) / levels);
  }
  for_pieces(rows_.size(), 16, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const SpeedDistribution distribution(system, f, rows_.t(row));
      for (std::size_t k = 0; k <= levels; ++k) {
        speed_[row * (levels + 1) + k] = static_cast<float>(distribution.quantile(fractions[k]));
      }
    }
  });
}

double VelocityQuantiles::operator()(double t, double q) const {
  const auto [row, y] = rows_.place(t);
  const double s = level(q) * levels;
  const std::size_t k = std::min(static_cast<std::size_t>(s), levels - 1);
  const double x = s - static_cast<double>(k);
  const float* low = &speed_[row * (levels + 1) + k];
  const float* high = low + levels + 1;
  return (1 - y) * ((1 - x) * low[0] + x * low[1]) + y * ((1 - x) * high[0] + x * high[1]);
}

}  // namespace gothic::ic
