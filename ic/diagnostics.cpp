#include "ic/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <numbers>
#include <optional>

#include "files/text.hpp"
#include "ic/softening.hpp"

namespace gothic::ic {
namespace {

constexpr double innermost_in_scales = 1e-3;
constexpr double outermost_mass = 0.9999;

double norm(const files::Vec3& vector) { return std::hypot(vector[0], vector[1], vector[2]); }

/// The columns of profile_table after component and kind.
constexpr std::array columns{"radius",    "density", "mass",   "v_circ",   "sigma_r",
                             "sigma_phi", "sigma_z", "v_mean", "toomre_q", "height"};
using Values = std::array<std::optional<double>, columns.size()>;

void add_row(files::ReportTable& table, const Component& component, const std::string& kind,
             const Values& values) {
  files::ReportRow row;
  row.put("component", component.name).put("kind", kind);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    values[i] ? row.put(columns[i], *values[i]) : row.put_nothing(columns[i]);
  }
  table.add(row);
}

Values sphere_values(const Galaxy& galaxy, std::size_t k, double radius) {
  const double density = galaxy.system().profiles()[k](radius);
  const double mass = galaxy.system().mass(k, std::log(radius));
  const SpeedDistribution speeds(*galaxy.distribution(k), std::log(radius));
  const double tangential = speeds.tangential_dispersion();
  return {radius,     density,    mass, galaxy.circular_speed(radius), speeds.radial_dispersion(),
          tangential, tangential, 0.0};
}

Values disc_values(const Galaxy& galaxy, std::size_t k, double radius) {
  const SurfaceDensity& surface = galaxy.disc(k)->surface();
  const DiscKinematics& kinematics = *galaxy.kinematics(k);
  const auto motion = kinematics.motion(radius, 0);
  const double sigma_z = std::sqrt(motion.sheet.mean_square_velocity(0));
  const double mean = (1 - 2 * galaxy.model().components[k].disc.retrograde) * motion.mean_rotation;
  return {radius,
          surface(radius),
          surface.mass(radius),
          kinematics.circular_speed(radius),
          motion.sigma_r,
          motion.sigma_phi,
          sigma_z,
          mean,
          kinematics.toomre_q(radius),
          kinematics.thickness(radius)};
}

/// The first and the last radius of a component's rows.
std::pair<double, double> radial_range(const Galaxy& galaxy, std::size_t k) {
  const Component& component = galaxy.model().components[k];
  const double mass = outermost_mass * component.mass;
  if (const ThickDisc* disc = galaxy.disc(k)) {
    return {10 * innermost_in_scales * component.scale, disc->surface().radius_of_mass(mass)};
  }
  const DensityProfile& profile = galaxy.system().profiles()[k];
  return {innermost_in_scales * profile.scale(), galaxy.system().radius_of_mass(k, mass)};
}

void add_component(files::ReportTable& table, const Galaxy& galaxy, std::size_t k,
                   unsigned per_decade) {
  const Component& component = galaxy.model().components[k];
  if (component.is_black_hole()) {
    add_row(table, component, "black_hole", {std::nullopt, std::nullopt, component.mass});
    return;
  }
  const auto [inner, outer] = radial_range(galaxy, k);
  const auto steps = static_cast<unsigned>(std::ceil(per_decade * std::log10(outer / inner)));
  for (unsigned i = 0; i <= steps; ++i) {
    const double radius = inner * std::pow(outer / inner, static_cast<double>(i) / steps);
    if (component.is_disc()) {
      add_row(table, component, "disc", disc_values(galaxy, k, radius));
    } else {
      add_row(table, component, "sphere", sphere_values(galaxy, k, radius));
    }
  }
}

template <class... Values>
void line(std::ostream& out, const std::string& name, const Values&... values) {
  out << "  " << std::left << std::setw(24) << name << std::right;
  ((out << ' ' << values), ...) << '\n';
}

void print_sphere(std::ostream& out, const Galaxy& galaxy, std::size_t k) {
  const SphericalSystem& system = galaxy.system();
  const DensityProfile& profile = system.profiles()[k];
  line(out, "rho0", profile.rho0());
  line(out, "mass within scale", system.mass(k, std::log(profile.scale())));
  line(out, "half-mass radius", system.radius_of_mass(k, galaxy.model().components[k].mass / 2));
  const DistributionFunction& f = *galaxy.distribution(k);
  const auto [lowest, energy, radius] = f.minimum();
  line(out, "lowest f", lowest, "at energy", energy, ", Psi of radius", radius);
  if (f.is_negative()) line(out, "mass of negative f", f.negative_mass_fraction());
  line(out, "virial ratio", virial_ratio(f));
}

void print_disc(std::ostream& out, const Galaxy& galaxy, std::size_t k) {
  const Component& component = galaxy.model().components[k];
  const SurfaceDensity& surface = galaxy.disc(k)->surface();
  const DiscKinematics& kinematics = *galaxy.kinematics(k);
  line(out, "Sigma0", surface.central());
  line(out, "mass within scale", surface.mass(component.scale));
  line(out, "half-mass radius", surface.radius_of_mass(component.mass / 2));
  line(out, "Q at scale", kinematics.toomre_q(component.scale));
  line(out, "mass that is too hot", kinematics.too_hot());
  line(out, "virial ratio", kinematics.virial_ratio());
}

void print_particles(std::ostream& out, const Galaxy& galaxy, const ParticleSums& sums,
                     std::size_t k) {
  constexpr int digits = 5;  // the counted radii have no more
  const auto radius = [&](double fraction) {
    return files::rounded(sums.radius(k, fraction), digits);
  };
  line(out, "particles", sums.particles(k));
  if (galaxy.model().components[k].is_black_hole()) return;
  line(out, "radii of 10, 50, 90 %", radius(0.1), radius(0.5), radius(0.9));
  line(out, "virial ratio of them", sums.virial_ratio(k));
}

/// Prints the softening of runs: one, or several if it depends on the number of particles.
void print_softening(std::ostream& out, const Galaxy& galaxy) {
  const auto softening = [&](std::size_t count) {
    return run_softening(galaxy, samples_of(galaxy.model(), count));
  };
  constexpr int fewest = 14, most = 23, step = 3;  // powers of two
  if (follows_particles(galaxy.model())) {
    out << "softening of the least force error (Merritt 1996), at least 1/" << 1 / least_softening
        << " of the shortest scale\n";
    for (int n = fewest; n <= most; n += step) {
      line(out, "with 2^" + std::to_string(n) + " particles", softening(std::size_t{1} << n));
    }
  } else {
    out << "softening " << softening(galaxy.model().components.size()) << '\n';
  }
  for (const Component& component : galaxy.model().components) {
    if (component.softening > 0) line(out, "of '" + component.name + "'", component.softening);
  }
}

}  // namespace

double virial_ratio(const DistributionFunction& f) {
  const SphericalSystem& system = f.system();
  const RadialGrid& grid = system.grid();
  const DensityProfile& profile = system.profiles()[f.component()];
  constexpr std::size_t stride = 8;
  double kinetic = 0;  // twice the kinetic energy
  for (std::size_t i = 0; i + 1 < grid.size() && grid.t(i) < f.last_t(); i += stride) {
    const double r = grid.radius(i);
    const SpeedDistribution speeds(f, grid.t(i));
    const double radial = speeds.radial_dispersion(), tangential = speeds.tangential_dispersion();
    kinetic += 4 * std::numbers::pi * r * r * r * profile(r) *
               (radial * radial + 2 * tangential * tangential);
  }
  return kinetic * grid.step() * stride / -system.virial(f.component());
}

ParticleSums::ParticleSums(const Galaxy& galaxy)
    : galaxy_(&galaxy),
      radii_(galaxy.system().grid().radius(0), std::exp(galaxy.system().grid().last_t()),
             radii + 1),
      sums_(galaxy.model().components.size()) {
  for (Sums& sums : sums_) sums.between.resize(radii);
}

void ParticleSums::add(const files::Particles& block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    const auto k = static_cast<std::size_t>(block.component[i]);
    const files::Vec3& x = block.position[i];
    const DiscKinematics* disc = galaxy_->kinematics(k);
    const double r = norm(x), v = norm(block.velocity[i]), R = std::hypot(x[0], x[1]);
    Sums& sums = sums_[k];
    ++sums.particles;
    ++sums.between[radii_.place(std::log(disc ? R : r)).index];
    sums.kinetic += block.mass[i] * v * v;
    if (disc) {
      sums.virial += block.mass[i] * disc->virial(R, std::abs(x[2]));
    } else if (r > 0) {
      sums.virial += block.mass[i] * galaxy_->gravitational_constant() *
                     galaxy_->system().mass(std::log(r)) / r;
    }
  }
}

double ParticleSums::radius(std::size_t component, double fraction) const {
  const Sums& sums = sums_[component];
  const double wanted = fraction * static_cast<double>(sums.particles);
  double within = 0;
  std::size_t i = 0;
  while (i + 1 < radii && within + sums.between[i] < wanted) within += sums.between[i++];
  const double part = (wanted - within) / std::max(sums.between[i], 1U);
  return std::exp(radii_.t(i) + std::clamp(part, 0.0, 1.0) * radii_.step());
}

files::ReportTable profile_table(const Galaxy& galaxy, unsigned per_decade) {
  files::ReportTable table;
  for (std::size_t k = 0; k < galaxy.model().components.size(); ++k) {
    add_component(table, galaxy, k, per_decade);
  }
  return table;
}

void print_diagnostics(std::ostream& out, const Galaxy& galaxy, const ParticleSums* particles) {
  out << std::setprecision(7) << "G = " << galaxy.gravitational_constant()
      << ", Psi(0) = " << galaxy.system().central_potential() << '\n';
  print_softening(out, galaxy);
  if (galaxy.discs()) out << "discs settled after " << galaxy.discs()->rounds() << " rounds\n";
  for (std::size_t k = 0; k < galaxy.model().components.size(); ++k) {
    const Component& component = galaxy.model().components[k];
    out << "component '" << component.name << "' (" << component.profile << ")\n";
    line(out, "mass", component.mass);
    if (galaxy.distribution(k)) print_sphere(out, galaxy, k);
    if (galaxy.disc(k)) print_disc(out, galaxy, k);
    if (particles) print_particles(out, galaxy, *particles, k);
  }
  out << '\n';
  constexpr unsigned few = 2;
  print(out, profile_table(galaxy, few));
}

}  // namespace gothic::ic
