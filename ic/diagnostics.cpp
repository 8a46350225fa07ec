#include "ic/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <numbers>
#include <sstream>

#include "ic/velocity_quantiles.hpp"
#include "io/error.hpp"

namespace gothic::ic {
namespace {

double norm(const io::Vec3& vector) { return std::hypot(vector[0], vector[1], vector[2]); }

void print_profile(std::ostream& out, const SphericalSystem& system, const DistributionFunction& f,
                   const DensityProfile& profile) {
  constexpr std::array radii_in_scales{0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0};
  out << "  " << std::setw(12) << "radius" << std::setw(14) << "density" << std::setw(14)
      << "of f / it" << std::setw(14) << "sigma_r" << std::setw(14) << "v_circ" << '\n';
  for (const double x : radii_in_scales) {
    const double radius = x * profile.component().scale, t = std::log(radius);
    const double density = profile(radius);
    if (t >= system.grid().last_t() || density < 1e-12 * profile.rho0()) break;
    const SpeedDistribution speeds(system, f, t);
    const double circular = std::sqrt(system.gravitational_constant() * system.mass(t) / radius);
    out << "  " << std::setw(12) << radius << std::setw(14) << density << std::setw(14)
        << speeds.density() / density << std::setw(14) << speeds.dispersion() << std::setw(14)
        << circular << '\n';
  }
}

void print_particles(std::ostream& out, const SphericalSystem& system,
                     const io::Particles& particles, std::size_t component) {
  std::vector<double> radius;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.component[i] == static_cast<int>(component)) {
      radius.push_back(norm(particles.position[i]));
    }
  }
  std::sort(radius.begin(), radius.end());
  const auto at = [&](double share) {
    return radius[static_cast<std::size_t>(share * static_cast<double>(radius.size() - 1))];
  };
  out << "  particles            " << radius.size() << "\n  radii of 10, 50, 90 % " << at(0.1)
      << ' ' << at(0.5) << ' ' << at(0.9) << "\n  virial ratio of them "
      << virial_ratio(system, particles, component) << '\n';
}

}  // namespace

double virial_ratio(const SphericalSystem& system, const DistributionFunction& f,
                    std::size_t component) {
  const RadialGrid& grid = system.grid();
  constexpr std::size_t stride = 8;
  double kinetic = 0;  // twice the energy
  for (std::size_t i = 0; i + 1 < grid.size(); i += stride) {
    const double r = grid.radius(i);
    const double sigma = SpeedDistribution(system, f, grid.t(i)).dispersion();
    kinetic +=
        4 * std::numbers::pi * r * r * r * system.profiles()[component](r) * 3 * sigma * sigma;
  }
  return kinetic * grid.step() * stride / -system.virial(component);
}

double virial_ratio(const SphericalSystem& system, const io::Particles& particles,
                    std::size_t component) {
  double kinetic = 0, virial = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.component[i] != static_cast<int>(component)) continue;
    const double r = norm(particles.position[i]), v = norm(particles.velocity[i]);
    kinetic += particles.mass[i] * v * v;
    if (r > 0) {
      virial += particles.mass[i] * system.gravitational_constant() * system.mass(std::log(r)) / r;
    }
  }
  return kinetic / virial;
}

void require_positive(const std::string& file, const Model& model,
                      const std::vector<DistributionFunction>& distributions) {
  for (std::size_t k = 0; k < distributions.size(); ++k) {
    const auto [value, energy, radius] = distributions[k].minimum();
    if (value >= 0) continue;
    std::ostringstream message;
    message << file << ": component '" << model.components[k].name
            << "': the distribution function is negative, lowest at energy " << energy
            << " (the potential at radius " << radius << "), with "
            << distributions[k].negative_mass_fraction()
            << " of the mass; make cutoff_width larger or pass --allow-negative to set it to zero "
               "there";
    throw InputError(message.str());
  }
}

void print_diagnostics(std::ostream& out, const Model& model, const SphericalSystem& system,
                       const std::vector<DistributionFunction>& distributions,
                       const io::Particles* particles) {
  out << std::setprecision(7) << "G = " << system.gravitational_constant()
      << ", Psi(0) = " << system.central_potential() << '\n';
  for (std::size_t k = 0; k < distributions.size(); ++k) {
    const DensityProfile& profile = system.profiles()[k];
    const Component& component = model.components[k];
    const auto [lowest, energy, radius] = distributions[k].minimum();
    out << "component '" << component.name << "' (" << name_of(component.profile) << ")\n"
        << "  rho0                 " << profile.rho0() << '\n'
        << "  mass                 " << component.mass << '\n'
        << "  mass within scale    " << system.mass(k, std::log(component.scale)) << '\n'
        << "  half-mass radius     " << system.radius_of_mass(k, component.mass / 2) << '\n'
        << "  lowest f             " << lowest << " at energy " << energy << ", Psi of radius "
        << radius << '\n'
        << "  virial ratio         " << virial_ratio(system, distributions[k], k) << '\n';
    print_profile(out, system, distributions[k], profile);
    if (particles) print_particles(out, system, *particles, k);
  }
}

}  // namespace gothic::ic
