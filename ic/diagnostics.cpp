#include "ic/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <numbers>
#include <string>
#include <utility>

#include "ic/velocity_quantiles.hpp"

namespace gothic::ic {
namespace {

constexpr double innermost_in_scales = 1e-3;
constexpr double outermost_mass = 0.9999;

double norm(const files::Vec3& vector) { return std::hypot(vector[0], vector[1], vector[2]); }

files::ReportRow start_row(const Component& component, const std::string& kind) {
  return std::move(files::ReportRow().put("component", component.name).put("kind", kind));
}

void add_sphere(files::ReportTable& table, const Galaxy& galaxy, std::size_t k, double radius) {
  const SpeedDistribution speeds(galaxy.system(), *galaxy.distribution(k), std::log(radius));
  table.add(start_row(galaxy.model().components[k], "sphere")
                .put("radius", radius)
                .put("density", galaxy.system().profiles()[k](radius))
                .put("mass", galaxy.system().mass(k, std::log(radius)))
                .put("v_circ", galaxy.circular_speed(radius))
                .put("sigma_r", speeds.dispersion())
                .put("sigma_phi", speeds.tangential_dispersion())
                .put("sigma_z", speeds.tangential_dispersion())
                .put("v_mean", 0.0)
                .put_nothing("toomre_q")
                .put_nothing("height"));
}

void add_disc(files::ReportTable& table, const Galaxy& galaxy, std::size_t k, double radius) {
  const DiscKinematics& kinematics = *galaxy.kinematics(k);
  const auto motion = kinematics.motion(radius, 0);
  const double retrograde = galaxy.model().components[k].disc.retrograde;
  table.add(start_row(galaxy.model().components[k], "disc")
                .put("radius", radius)
                .put("density", galaxy.disc(k)->surface()(radius))
                .put("mass", galaxy.disc(k)->surface().mass(radius))
                .put("v_circ", kinematics.circular_speed(radius))
                .put("sigma_r", motion.sigma_r)
                .put("sigma_phi", motion.sigma_phi)
                .put("sigma_z", std::sqrt(motion.sheet.mean_square_velocity(0)))
                .put("v_mean", (1 - 2 * retrograde) * motion.mean_rotation)
                .put("toomre_q", kinematics.toomre_q(radius))
                .put("height", kinematics.thickness(radius)));
}

void add_black_hole(files::ReportTable& table, const Component& component) {
  files::ReportRow row = start_row(component, "black_hole");
  row.put_nothing("radius").put_nothing("density").put("mass", component.mass);
  for (const char* name : {"v_circ", "sigma_r", "sigma_phi", "sigma_z", "v_mean", "toomre_q"}) {
    row.put_nothing(name);
  }
  table.add(row.put_nothing("height"));
}

/// From where to where a component is worth a look.
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
  if (component.is_black_hole()) return add_black_hole(table, component);
  const auto [inner, outer] = radial_range(galaxy, k);
  const auto steps = static_cast<unsigned>(std::ceil(per_decade * std::log10(outer / inner)));
  for (unsigned i = 0; i <= steps; ++i) {
    const double radius = inner * std::pow(outer / inner, static_cast<double>(i) / steps);
    (component.is_disc() ? add_disc : add_sphere)(table, galaxy, k, radius);
  }
}

class Summary {
 public:
  explicit Summary(std::ostream& out) : out_(&out) {}

  template <class... Values>
  void line(const std::string& name, const Values&... values) {
    *out_ << "  " << std::left << std::setw(24) << name << std::right;
    ((*out_ << ' ' << values), ...) << '\n';
  }

 private:
  std::ostream* out_;
};

void print_sphere(Summary& summary, const Galaxy& galaxy, std::size_t k) {
  const SphericalSystem& system = galaxy.system();
  const DensityProfile& profile = system.profiles()[k];
  summary.line("rho0", profile.rho0());
  summary.line("mass within scale", system.mass(k, std::log(profile.scale())));
  summary.line("half-mass radius", system.radius_of_mass(k, galaxy.model().components[k].mass / 2));
  const DistributionFunction& f = *galaxy.distribution(k);
  const auto [lowest, energy, radius] = f.minimum();
  summary.line("lowest f", lowest, "at energy", energy, ", Psi of radius", radius);
  if (f.is_negative()) summary.line("mass of negative f", f.negative_mass_fraction());
  summary.line("virial ratio", virial_ratio(system, f, k));
}

void print_disc(Summary& summary, const Galaxy& galaxy, std::size_t k) {
  const Component& component = galaxy.model().components[k];
  const SurfaceDensity& surface = galaxy.disc(k)->surface();
  const DiscKinematics& kinematics = *galaxy.kinematics(k);
  summary.line("Sigma0", surface.central());
  summary.line("mass within scale", surface.mass(component.scale));
  summary.line("half-mass radius", surface.radius_of_mass(component.mass / 2));
  summary.line("Q at scale", kinematics.toomre_q(component.scale));
  summary.line("mass that is too hot", kinematics.too_hot());
  summary.line("virial ratio", kinematics.virial_ratio());
}

void print_particles(Summary& summary, const Galaxy& galaxy, const files::Particles& particles,
                     std::size_t k) {
  std::vector<double> radius;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.component[i] != static_cast<int>(k)) continue;
    const files::Vec3& x = particles.position[i];
    radius.push_back(galaxy.disc(k) ? std::hypot(x[0], x[1]) : norm(x));
  }
  std::sort(radius.begin(), radius.end());
  const auto at = [&](double share) {
    return radius[static_cast<std::size_t>(share * static_cast<double>(radius.size() - 1))];
  };
  summary.line("particles", radius.size());
  if (galaxy.model().components[k].is_black_hole()) return;
  summary.line("radii of 10, 50, 90 %", at(0.1), at(0.5), at(0.9));
  summary.line("virial ratio of them", virial_ratio(galaxy, particles, k));
}

}  // namespace

double virial_ratio(const SphericalSystem& system, const DistributionFunction& f,
                    std::size_t component) {
  const RadialGrid& grid = system.grid();
  constexpr std::size_t stride = 8;
  double kinetic = 0;  // twice the energy
  for (std::size_t i = 0; i + 1 < grid.size() && grid.t(i) < f.last_t(); i += stride) {
    const double r = grid.radius(i);
    const SpeedDistribution speeds(system, f, grid.t(i));
    const double radial = speeds.dispersion(), tangential = speeds.tangential_dispersion();
    kinetic += 4 * std::numbers::pi * r * r * r * system.profiles()[component](r) *
               (radial * radial + 2 * tangential * tangential);
  }
  return kinetic * grid.step() * stride / -system.virial(component);
}

double virial_ratio(const Galaxy& galaxy, const files::Particles& particles,
                    std::size_t component) {
  const DiscKinematics* disc = galaxy.kinematics(component);
  double kinetic = 0, virial = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.component[i] != static_cast<int>(component)) continue;
    const files::Vec3& x = particles.position[i];
    const double r = norm(x), v = norm(particles.velocity[i]);
    kinetic += particles.mass[i] * v * v;
    if (disc) {
      virial += particles.mass[i] * disc->virial(std::hypot(x[0], x[1]), std::abs(x[2]));
    } else if (r > 0) {
      virial += particles.mass[i] * galaxy.gravitational_constant() *
                galaxy.system().mass(std::log(r)) / r;
    }
  }
  return kinetic / virial;
}

files::ReportTable profile_table(const Galaxy& galaxy, unsigned per_decade) {
  files::ReportTable table;
  for (std::size_t k = 0; k < galaxy.model().components.size(); ++k) {
    add_component(table, galaxy, k, per_decade);
  }
  return table;
}

void print_diagnostics(std::ostream& out, const Galaxy& galaxy, const files::Particles* particles) {
  Summary summary(out);
  out << std::setprecision(7) << "G = " << galaxy.gravitational_constant()
      << ", Psi(0) = " << galaxy.system().central_potential() << '\n';
  if (galaxy.discs()) out << "discs settled after " << galaxy.discs()->rounds() << " rounds\n";
  for (std::size_t k = 0; k < galaxy.model().components.size(); ++k) {
    const Component& component = galaxy.model().components[k];
    out << "component '" << component.name << "' (" << component.profile << ")\n";
    summary.line("mass", component.mass);
    if (galaxy.distribution(k)) print_sphere(summary, galaxy, k);
    if (galaxy.disc(k)) print_disc(summary, galaxy, k);
    if (particles) print_particles(summary, galaxy, *particles, k);
  }
  out << '\n';
  constexpr unsigned few = 2;
  print(out, profile_table(galaxy, few));
}

}  // namespace gothic::ic
