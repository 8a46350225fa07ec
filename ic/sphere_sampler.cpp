#include "ic/sphere_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace gothic::ic {
namespace {

constexpr std::size_t guides = 1024;

/// Divides the part of a vector that is perpendicular to `axis`, at `radius`, by `divisor`.
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
    : f_(&f), speed_(f.system(), f, threads) {
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

SphereSampler::Star SphereSampler::operator()(const Random& random, std::uint64_t star) const {
  const auto a = random(star, 0), b = random(star, 1);
  return at(uniform(a[0], a[1]), uniform(b[0], b[1]), random, star);
}

SphereSampler::Star SphereSampler::at(double mass_fraction, double speed_fraction,
                                      const Random& random, std::uint64_t star) const {
  const auto a = random(star, 0), b = random(star, 1);
  const double t = radius_within(mass_fraction), radius = std::exp(t);
  Star result{.position = isotropic(radius, a[2], a[3]),
              .velocity = isotropic(speed_(t, speed_fraction), b[2], b[3])};
  const double stretch = f_->stretch(radius);
  if (stretch > 1) {
    result.velocity = squeezed(result.velocity, result.position, radius, std::sqrt(stretch));
  }
  return result;
}

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
