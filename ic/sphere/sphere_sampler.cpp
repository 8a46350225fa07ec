#include "ic/sphere/sphere_sampler.hpp"

#include <algorithm>

#include "core/device/host_pieces.hpp"

namespace gothic::ic {
namespace {

constexpr std::size_t guides = 1024;

/// The level of a speed, from the fraction of particles that are slower. Even levels resolve both
/// ends: slow particles, whose number goes as v^3, and particles near the escape speed.
double level_of(double q) { return (std::cbrt(q) + 1 - std::sqrt(std::sqrt(1 - q))) / 2; }

double fraction_at(double level) {
  double low = 0, high = 1;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (level_of(middle) < level ? low : high) = middle;
  }
  return (low + high) / 2;
}

QuantileTable tabulate_speeds(const DistributionFunction& f, unsigned threads) {
  constexpr std::size_t levels = QuantileTable::levels;
  std::vector<double> fractions;
  for (std::size_t k = 0; k <= levels; ++k) {
    fractions.push_back(fraction_at(static_cast<double>(k) / levels));
  }
  const RadialGrid& grid = f.system().grid();
  QuantileTable speeds({grid.radius(0), std::exp(f.last_t() - grid.step()), grid.size() / 2});
  for_pieces(speeds.rows().size(), 16, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const SpeedDistribution distribution(f, speeds.rows().t(row));
      for (std::size_t k = 0; k <= levels; ++k) {
        speeds.at(row, k) = static_cast<float>(distribution.quantile(fractions[k]));
      }
    }
  });
  return speeds;
}

/// Divides the part of a vector that is perpendicular to `axis` by `divisor`. `radius` is the
/// length of `axis`.
files::Vec3 squeezed(const files::Vec3& vector, const files::Vec3& axis, double radius,
                     double divisor) {
  double along = 0;
  for (int k = 0; k < 3; ++k) along += vector[k] * axis[k] / radius;
  files::Vec3 result{};
  for (int k = 0; k < 3; ++k) {
    const double radial = along * axis[k] / radius;
    result[k] = static_cast<float>(radial + (vector[k] - radial) / divisor);
  }
  return result;
}

}  // namespace

SphereSampler::SphereSampler(const DistributionFunction& f, unsigned threads)
    : f_(&f), speeds_(tabulate_speeds(f, threads)) {
  const RadialGrid& grid = f.system().grid();
  cusp_ = 1 / (3 - f.system().profiles()[f.component()].slope(grid.radius(0)));
  for (std::size_t i = 0; i < grid.size(); ++i) {
    mass_.push_back(f.system().mass(f.component(), grid.t(i)));
  }
  guide_.resize(guides + 1);
  for (std::size_t k = 0; k <= guides; ++k) {
    const double mass = mass_.back() * static_cast<double>(k) / guides;
    guide_[k] = std::upper_bound(mass_.begin(), mass_.end(), mass) - mass_.begin();
  }
}

SphereSampler::Star SphereSampler::operator()(const Random& random, std::uint64_t star,
                                              const std::optional<Fractions>& given) const {
  const auto a = random(star, 0), b = random(star, 1);
  const auto [mass, slower] =
      given.value_or(Fractions{.mass = uniform(a[0], a[1]), .speed = uniform(b[0], b[1])});
  const double t = radius_within(mass), radius = std::exp(t);
  Star result{.position = isotropic(radius, a[2], a[3]),
              .velocity = isotropic(speed(t, slower), b[2], b[3])};
  const double stretch = f_->stretch(radius);
  if (stretch > 1) {
    result.velocity = squeezed(result.velocity, result.position, radius, std::sqrt(stretch));
  }
  return result;
}

double SphereSampler::speed(double t, double q) const { return speeds_(t, level_of(q)); }

double SphereSampler::radius_within(double mass_fraction) const {
  const RadialGrid& grid = f_->system().grid();
  const double mass = mass_fraction * mass_.back();
  if (mass <= mass_.front()) return grid.t(0) + cusp_ * std::log(mass / mass_.front());
  const auto k = static_cast<std::size_t>(mass_fraction * guides);
  const auto first = mass_.begin() + guide_[k], last = mass_.begin() + guide_[k + 1];
  const auto above = static_cast<std::size_t>(std::upper_bound(first, last, mass) - mass_.begin());
  const std::size_t i = std::clamp<std::size_t>(above, 1, mass_.size() - 1) - 1;
  // ln M is linear in ln r between the radii of the grid.
  const double x = std::log(mass / mass_[i]) / std::log(mass_[i + 1] / mass_[i]);
  return grid.t(i) + grid.step() * std::clamp(x, 0.0, 1.0);
}

}  // namespace gothic::ic
