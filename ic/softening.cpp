#include "ic/softening.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <limits>
#include <numbers>

namespace gothic::ic {
namespace {

constexpr double four_pi = 4 * std::numbers::pi;

/// The fraction of a Plummer sphere that lies within r, where `softening` is its scale and s the
/// distance of its centre: r^2 times the mean pull at r of a softened shell of radius s.
double fraction_within(double r, double s, double softening) {
  const double far = std::hypot(r + s, softening), near = std::hypot(r - s, softening);
  return (far - near - r * ((r + s) / far - (r - s) / near)) / (2 * s);
}

/// Errors of the force from the spheres and discs of a galaxy, on radii that are even in ln r.
class ForceErrors {
 public:
  ForceErrors(const Galaxy& galaxy, const std::vector<Sample>& samples) : grid_(grid_of(galaxy)) {
    mass_.resize(grid_.size());
    noise_.resize(grid_.size());
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      const double r = grid_.radius(i);
      for (std::size_t k = 0; k < samples.size(); ++k) {
        if (galaxy.model().components[k].is_black_hole()) continue;
        const double density = galaxy.system().profiles()[k](r);
        mass_[i] += four_pi * r * r * r * density * grid_.step();
        noise_[i] += samples[k].mass * density;
      }
    }
  }

  const RadialGrid& grid() const { return grid_; }

  /// Mean square error for G = 1, times the mass of the galaxy.
  double operator()(double softening) const {
    constexpr double noise = 0.75 * std::numbers::pi * std::numbers::pi;
    constexpr std::size_t stride = 6;
    double sum = 0;
    for (std::size_t i = 0; i < grid_.size(); i += stride) {
      const double r = grid_.radius(i), bias = change_of_mass(i, softening) / (r * r);
      sum += mass_[i] * (bias * bias + noise * noise_[i] / softening);
    }
    return sum;
  }

 private:
  static constexpr std::size_t radii = 1536;

  static RadialGrid grid_of(const Galaxy& galaxy) {
    constexpr double innermost_in_scales = 1e-5, outermost_mass = 0.9999;
    const SphericalSystem& system = galaxy.system();
    const double mass = system.mass(system.grid().last_t());
    return {innermost_in_scales * galaxy.shortest_scale(),
            system.radius_of_mass(outermost_mass * mass), radii};
  }

  /// M_s - M within a radius of the grid.
  double change_of_mass(std::size_t i, double softening) const {
    const double r = grid_.radius(i);
    double sum = 0;
    for (std::size_t j = 0; j < grid_.size(); ++j) {
      const double before = j < i ? 1 : j == i ? 0.5 : 0;
      sum += mass_[j] * (fraction_within(r, grid_.radius(j), softening) - before);
    }
    return sum;
  }

  RadialGrid grid_;
  std::vector<double> mass_;   // masses of shells
  std::vector<double> noise_;  // sum of m rho
};

}  // namespace

double optimal_softening(const Galaxy& galaxy, const std::vector<Sample>& samples) {
  constexpr double step = 0.7;  // in ln softening
  constexpr int bits = 20;
  const ForceErrors errors(galaxy, samples);
  const auto error = [&](double t) { return errors(std::exp(t)); };
  const double shortest = galaxy.shortest_scale(), first = errors.grid().t(0);
  const auto count = static_cast<int>((std::log(most_softening * shortest) - first) / step);
  double best = first, least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= count; ++i) {
    const double t = first + i * step;
    if (const double here = error(t); here < least) {
      least = here;
      best = t;
    }
  }
  const double optimum =
      std::exp(boost::math::tools::brent_find_minima(error, best - step, best + step, bits).first);
  return std::min(optimum, most_softening * shortest);
}

bool follows_particles(const Model& model) {
  return model.softening == 0 &&
         std::ranges::any_of(model.components, [](const Component& component) {
           return !component.is_black_hole() && component.softening == 0;
         });
}

double run_softening(const Galaxy& galaxy, const std::vector<Sample>& samples) {
  const Model& model = galaxy.model();
  if (model.softening > 0) return model.softening;
  if (follows_particles(model)) {
    return std::max(optimal_softening(galaxy, samples), least_softening * galaxy.shortest_scale());
  }
  const bool only_holes = std::ranges::all_of(model.components, &Component::is_black_hole);
  double shortest = std::numeric_limits<double>::infinity();
  for (const Component& component : model.components) {
    if (component.is_black_hole() && !only_holes) continue;
    shortest = std::min(shortest, component.softening);
  }
  return shortest;
}

}  // namespace gothic::ic
