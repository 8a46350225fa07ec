#include "ic/disc/disc_system.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/device/host_pieces.hpp"
#include "files/error.hpp"
#include "files/text.hpp"

namespace gothic::ic {
namespace {

constexpr double step = 0.015;  // in ln r, between the radii of the multipoles
constexpr double innermost_in_heights = 1e-3;
constexpr double unresolved_mass = 1e-5;  // fraction, far out, that may be thinner than resolved
constexpr double thinnest = 0.0025;       // in half-mass radii
constexpr double thickest = 30;           // in half-mass radii
constexpr double settled = 1e-7;
constexpr unsigned most_rounds = 100;

/// Refuses a disc whose height its grid cannot follow.
void require_resolved(const Component& disc) {
  const double half_mass_radius = SurfaceDensity(disc).radius_of_mass(disc.mass / 2);
  const auto fail = [&](const std::string& problem, double limit) {
    throw InputError("component '" + disc.name + "': height is too " + problem + " " +
                     files::rounded(limit * half_mass_radius, 2));
  };
  const double rounding = 0.05;  // largest relative change by rounding to two digits
  if (disc.disc.height < thinnest * half_mass_radius) {
    fail("small to be resolved; make it at least", thinnest * (1 + rounding));
  }
  if (disc.disc.height > thickest * half_mass_radius) {
    fail("large for a disc; make it at most", thickest * (1 - rounding));
  }
}

}  // namespace

DiscSystem::DiscSystem(const Model& model, const SphericalSystem* spheres, unsigned threads)
    : gravity_(model.units.gravitational_constant()), spheres_(spheres) {
  double inner = std::numeric_limits<double>::max(), outer = 0;
  for (std::size_t k = 0; k < model.components.size(); ++k) {
    if (!model.components[k].is_disc()) continue;
    require_resolved(model.components[k]);
    component_.push_back(k);
    const ThickDisc& disc = discs_.emplace_back(model.components[k], gravity_);
    const double height = disc.component().disc.height;
    inner = std::min(inner, innermost_in_heights * height);
    outer = std::max(outer, 1.01 * std::hypot(disc.surface().outer_radius(), disc.grid().top()));
  }
  const auto radii = static_cast<std::size_t>(std::log(outer / inner) / step) + 2;
  for (const ThickDisc& disc : discs_) {
    const double mass = disc.component().mass;
    potentials_.emplace_back(
        inner, outer, radii,
        MultipolePotential::Layer{disc.component().disc.height, disc.grid().top(),
                                  disc.surface().radius_of_mass((1 - unresolved_mass) * mass)});
  }
  mid_plane_.resize(discs_.size());
  double change = 1;
  while (change > settled) {
    if (++rounds_ > most_rounds) {
      throw InputError("the discs of the model do not settle; make them thicker or lighter");
    }
    for (std::size_t d = 0; d < discs_.size(); ++d) {
      potentials_[d].solve([&](double R, double z) { return discs_[d].density(R, z); }, threads);
    }
    std::vector<std::vector<double>> rise;
    for (std::size_t d = 0; d < discs_.size(); ++d) rise.push_back(measure_rise(d, threads));
    change = 0;
    for (std::size_t d = 0; d < discs_.size(); ++d) {
      change = std::max(change, discs_[d].settle(std::move(rise[d])));
    }
  }
}

std::vector<double> DiscSystem::measure_rise(std::size_t disc, unsigned threads) {
  const MeridionalGrid& grid = discs_[disc].grid();
  std::vector<double> rise(grid.size());
  std::vector<double>& mid_plane = mid_plane_[disc];
  mid_plane.resize(grid.rows().size());
  for_pieces(grid.rows().size(), 4, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double R = grid.rows().radius(i);
      const std::vector<double> all = disc_potential(R, grid.heights());
      for (std::size_t j = 0; j < all.size(); ++j) {
        rise[i * all.size() + j] = all[j] - all[0] + sphere_rise(R, grid.heights()[j]);
      }
      mid_plane[i] = all[0] + sphere_potential(R);
    }
  });
  return rise;
}

double DiscSystem::sphere_potential(double radius) const {
  if (!spheres_) return 0;
  const double t = std::log(radius), last = spheres_->grid().last_t();
  if (t > last) return -gravity_ * spheres_->mass(last) / radius;
  return -spheres_->potential(t);
}

double DiscSystem::sphere_rise(double axis_distance, double height) const {
  if (!spheres_) return 0;
  const double radius = std::hypot(axis_distance, height);
  if (std::log(radius) > spheres_->grid().last_t()) {
    return sphere_potential(radius) - sphere_potential(axis_distance);
  }
  return spheres_->deficit(std::log(radius)) - spheres_->deficit(std::log(axis_distance));
}

std::vector<double> DiscSystem::disc_potential(double axis_distance,
                                               const std::vector<double>& heights) const {
  std::vector<double> all(heights.size());
  for (const MultipolePotential& potential : potentials_) {
    const std::vector<double> one = potential(axis_distance, heights);
    for (std::size_t j = 0; j < all.size(); ++j) all[j] += gravity_ * one[j];
  }
  return all;
}

std::vector<double> DiscSystem::potential(double axis_distance,
                                          const std::vector<double>& heights) const {
  std::vector<double> all = disc_potential(axis_distance, heights);
  for (std::size_t j = 0; j < all.size(); ++j) {
    all[j] += sphere_potential(std::hypot(axis_distance, heights[j]));
  }
  return all;
}

DensityProfile DiscSystem::spherical_average(std::size_t disc) const {
  const MultipolePotential& potential = potentials_[disc];
  const double faintest = 1e-30 * potential.mean_density(0);
  std::vector<double> log_radius, log_density;
  for (std::size_t i = 0; i < potential.radii().size(); ++i) {
    const double density = potential.mean_density(i);
    if (density <= faintest) break;
    log_radius.push_back(potential.radii().t(i));
    log_density.push_back(std::log(density));
  }
  return DensityProfile({.shape = table_shape(std::move(log_radius), std::move(log_density))});
}

}  // namespace gothic::ic
