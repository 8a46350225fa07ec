#include "ic/relaxation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "files/text.hpp"
#include "ic/softening.hpp"

namespace gothic::ic {
namespace {

/// How the stars of a component move at one place.
struct Motion {
  double density = 0;
  double mean_square = 0;  ///< mean square of the random velocity
  double rotation = 0;
};

/// The motion of component j at this radius: of a disc in its plane, or with its density averaged
/// over the sphere, as the stars of spheres meet it.
Motion motion(const Galaxy& galaxy, std::size_t j, double radius, bool in_plane) {
  const double density = galaxy.system().profiles()[j](radius), t = std::log(radius);
  if (const DiscKinematics* disc = galaxy.kinematics(j)) {
    const auto there = disc->motion(radius, 0);
    const double vertical = there.sheet.mean_square_velocity(0);
    return {
        .density = in_plane ? disc->disc().density(radius, 0) : density,
        .mean_square = there.sigma_r * there.sigma_r + there.sigma_phi * there.sigma_phi + vertical,
        .rotation = there.mean_rotation};
  }
  const DistributionFunction* f = galaxy.distribution(j);
  if (!f || t >= f->last_t()) return {};
  const SpeedDistribution speeds(*f, t);
  const double radial = speeds.radial_dispersion(), tangential = speeds.tangential_dispersion();
  return {.density = density, .mean_square = radial * radial + 2 * tangential * tangential};
}

double half_mass_radius(const Galaxy& galaxy, std::size_t k) {
  const double half = galaxy.model().components[k].mass / 2;
  if (const ThickDisc* disc = galaxy.disc(k)) return disc->surface().radius_of_mass(half);
  return galaxy.system().radius_of_mass(k, half);
}

/// The unit in which readers are told times of the model.
struct TimeUnit {
  double size = 1;  ///< in units of the model
  std::string name;
};

TimeUnit time_unit(const Galaxy& galaxy) {
  const files::Units& units = galaxy.model().units;
  if (units == files::Units{}) return {};
  return {files::gigayear / units.time_in_s(), "Gyr"};
}

}  // namespace

double heating_rate(const Medium& medium, double speed, double coulomb_logarithm, double gravity) {
  const double x = speed / (std::numbers::sqrt2 * medium.dispersion);
  // erf(X) / (X sigma) = sqrt(2) erf(X) / speed, which holds for a cold medium, too.
  return 8 * std::numbers::pi * gravity * gravity * medium.density * medium.particle_mass *
         coulomb_logarithm * std::erf(x) / speed;
}

Encounters encounters(const Galaxy& galaxy, std::size_t k, const std::vector<Sample>& samples,
                      double softening) {
  const double gravity = galaxy.gravitational_constant(), radius = half_mass_radius(galaxy, k);
  const bool in_plane = galaxy.model().components[k].is_disc();
  const double size = in_plane ? galaxy.kinematics(k)->thickness(radius) : radius;
  const Motion own = motion(galaxy, k, radius, in_plane);
  const auto length = [&](std::size_t of) {
    return softening_of(galaxy.model().components[of], softening);
  };
  Encounters result;
  double sum = 0, most = 0;
  for (std::size_t j = 0; j < samples.size(); ++j) {
    const Motion other = motion(galaxy, j, radius, in_plane);
    if (other.density == 0) continue;
    const double drift = own.rotation - other.rotation;
    const double speed = std::sqrt(own.mean_square + drift * drift);
    const double strong = gravity * (samples[j].mass + samples[k].mass) / (speed * speed);
    const double of_pair = std::hypot(length(k), length(j)) / std::numbers::sqrt2;
    const double lambda = size / std::max(of_pair, strong);
    const Medium medium{other.density, std::sqrt(other.mean_square / 3), samples[j].mass};
    const double rate = heating_rate(medium, speed, std::log1p(lambda * lambda) / 2, gravity);
    if (rate > most) {
      most = rate;
      result.source = j;
    }
    sum += rate;
  }
  result.time = own.mean_square / sum;
  return result;
}

double usual_duration(const Galaxy& galaxy) {
  constexpr double gigayears = 10, dynamical_times = 100;
  const TimeUnit unit = time_unit(galaxy);
  if (!unit.name.empty()) return gigayears * unit.size;
  const SphericalSystem& system = galaxy.system();
  const double half = system.mass(system.grid().last_t()) / 2;
  const double radius = system.radius_of_mass(half);
  return dynamical_times *
         std::sqrt(radius * radius * radius / (system.gravitational_constant() * half));
}

files::ReportTable sample_table(const Galaxy& galaxy, const std::vector<Sample>& samples,
                                double softening) {
  const auto& components = galaxy.model().components;
  const TimeUnit unit = time_unit(galaxy);
  const std::string time = unit.name.empty() ? "relaxation" : "relaxation_" + unit.name;
  files::ReportTable table;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    files::ReportRow row;
    row.put("component", components[k].name)
        .put("particles", samples[k].particles)
        .put("mass", components[k].mass)
        .put("particle_mass", samples[k].mass)
        .put("softening", softening_of(components[k], softening));
    if (components[k].is_black_hole()) {
      row.put_nothing(time).put_nothing("by");
    } else {
      const Encounters found = encounters(galaxy, k, samples, softening);
      row.put(time, found.time / unit.size).put("by", components[found.source].name);
    }
    table.add(row);
  }
  return table;
}

std::vector<std::string> encounter_warnings(const Galaxy& galaxy,
                                            const std::vector<Sample>& samples, double softening,
                                            double duration) {
  constexpr double heavier = 1.5;
  if (duration == 0) duration = usual_duration(galaxy);
  const auto& components = galaxy.model().components;
  const TimeUnit unit = time_unit(galaxy);
  const auto in_words = [&](double time) {
    return files::rounded(time / unit.size, 3) + (unit.name.empty() ? "" : " " + unit.name);
  };
  double all = 0;
  for (const Sample& sample : samples) all += static_cast<double>(sample.particles);
  std::vector<std::string> warnings;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (components[k].is_black_hole()) continue;
    const double length = softening_of(components[k], softening);
    if (const double half = half_mass_radius(galaxy, k); length > half) {
      warnings.push_back(
          fmt::format("component '{}': the softening {:.3g} is longer than the half-mass radius "
                      "{:.3g}, so that its own gravity hardly acts; give a shorter one",
                      components[k].name, length, half));
    }
    const auto [time, source] = encounters(galaxy, k, samples, softening);
    if (time >= duration) continue;
    const double ratio = samples[source].mass / samples[k].mass;
    const std::string others = "with particles of '" + components[source].name + "'";
    const std::string weight =
        ratio > heavier ? ", " + files::rounded(ratio, 3) + " times heavier," : "";
    const std::string share =
        samples.size() > 1 ? " or give '" + components[source].name + "' a larger share" : "";
    warnings.push_back(fmt::format(
        "component '{}': encounters {}{} change it within {}, less than the duration of {}; draw "
        "about {} particles{}",
        components[k].name, source == k ? "of its own particles" : others, weight, in_words(time),
        in_words(duration), files::with_prefix(all * duration / time), share));
  }
  return warnings;
}

}  // namespace gothic::ic
