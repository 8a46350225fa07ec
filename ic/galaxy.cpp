#include "ic/galaxy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "files/error.hpp"

namespace gothic::ic {
namespace {

constexpr double most_too_hot = 0.01;

/// The remedy for a negative distribution function, as messages word it.
std::string remedy(const Component& component) {
  if (component.is_tabulated()) return "make the table smoother";
  if (component.anisotropy_radius > 0) return "make anisotropy_radius or cutoff_width larger";
  return "make cutoff_width larger";
}

/// The remedy for a disc that is too hot.
/// \param is_too_thick see DiscKinematics::is_too_thick
std::string cooling(const Component& disc, bool is_too_thick) {
  constexpr double thin = 0.25;  // of the scale: discs of galaxies are thinner
  if (is_too_thick) {
    return "the cause is its height, since sigma_r is at least sigma_z near the centre, so make "
           "height smaller";
  }
  return disc.disc.height > thin * disc.scale ? "make toomre_q, sigma_r or height smaller"
                                              : "make toomre_q or sigma_r smaller";
}

}  // namespace

Galaxy::Galaxy(Model model, unsigned threads) : model_(std::move(model)) {
  try {
    settle(threads);
  } catch (const InputError& error) {
    throw InputError(model_.file + ": " + error.what());
  }
}

void Galaxy::settle(unsigned threads) {
  const std::size_t count = model_.components.size();
  distributions_.resize(count);
  kinematics_.resize(count);

  std::vector<DensityProfile> profiles = sphere_profiles(model_);
  if (profiles.size() < count) {
    if (!profiles.empty()) {
      spheres_ = std::make_unique<SphericalSystem>(profiles, gravitational_constant());
    }
    discs_ = std::make_unique<DiscSystem>(model_, spheres_.get(), threads);
    for (std::size_t d = 0; d < discs_->size(); ++d) {
      const std::size_t k = discs_->component(d);
      kinematics_[k] = std::make_unique<DiscKinematics>(*discs_, d);
      profiles.insert(profiles.begin() + static_cast<std::ptrdiff_t>(k),
                      discs_->spherical_average(d).with_mass(model_.components[k].mass));
    }
  }
  system_ = std::make_unique<SphericalSystem>(std::move(profiles), gravitational_constant());
  for (std::size_t k = 0; k < count; ++k) {
    const Component& component = model_.components[k];
    if (component.is_disc() || component.is_black_hole()) continue;
    distributions_[k] =
        std::make_unique<DistributionFunction>(*system_, k, threads, component.anisotropy_radius);
    if (!std::isfinite(distributions_[k]->negative_mass_fraction())) {
      throw InputError("component '" + component.name +
                       "': its scale differs too much from those of the others for one table of "
                       "radii; bring them nearer to each other");
    }
  }
}

double Galaxy::shortest_scale() const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Component& component : model_.components) {
    if (component.is_black_hole()) continue;
    shortest = std::min(shortest, component.scale * component.shape->size());
  }
  return shortest;
}

double Galaxy::circular_speed(double radius) const {
  double square = 0;
  if (const SphericalSystem* spheres = discs_ ? spheres_.get() : system_.get()) {
    square += gravitational_constant() * spheres->mass(std::log(radius)) / radius;
  }
  if (discs_) {
    constexpr double step = 0.01;
    square += (discs_->disc_potential(radius * std::exp(step), {0}).front() -
               discs_->disc_potential(radius * std::exp(-step), {0}).front()) /
              (2 * step);
  }
  return std::sqrt(std::max(square, 0.0));
}

void Galaxy::require_equilibrium(const std::string& allowing) const {
  for (std::size_t k = 0; k < model_.components.size(); ++k) {
    const std::string name = model_.file + ": component '" + model_.components[k].name + "': ";
    if (const DistributionFunction* f = distribution(k); f && f->is_negative()) {
      const auto [value, energy, radius] = f->minimum();
      throw InputError(
          name + fmt::format("the distribution function is negative, lowest at energy {:.6g} (the "
                             "potential at radius {:.6g}), with {:.6g} of the mass; {} or pass "
                             "{} to set it to zero there",
                             energy, radius, f->negative_mass_fraction(),
                             remedy(model_.components[k]), allowing));
    }
    if (kinematics(k) && kinematics(k)->too_hot() > most_too_hot) {
      throw InputError(
          name + fmt::format("too hot to be in equilibrium, with {:.6g} of the mass where pressure "
                             "outweighs gravity; {}",
                             kinematics(k)->too_hot(),
                             cooling(model_.components[k], kinematics(k)->is_too_thick())));
    }
  }
}

std::vector<std::string> Galaxy::warnings() const {
  std::vector<std::string> found;
  for (std::size_t k = 0; k < model_.components.size(); ++k) {
    if (!kinematics(k)) continue;
    const auto [q, radius] = kinematics(k)->lowest_q();
    if (q >= 1) continue;
    found.push_back(fmt::format(
        "component '{}': Toomre's Q is {:.2g} at radius {:.3g}; below 1 rings grow and fragment, "
        "make toomre_q or sigma_r larger",
        model_.components[k].name, q, radius));
  }
  return found;
}

}  // namespace gothic::ic
