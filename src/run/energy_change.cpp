#include "run/energy_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "core/messages/exchange.hpp"
#include "files/text.hpp"

namespace gothic {
namespace {

/// Errors of forces in the reference are some 1e-5, far below those that change an energy visibly.
constexpr float exact_accuracy = 0x1p-13F;

/// Forces of the simulation's particles that are as exact as a tree's can be.
ForceOptions exact(const ForceOptions& force) {
  ForceOptions options;
  options.acceptance = {Mac::acceleration, exact_accuracy, force.acceptance.gravity,
                        Order::octupole};
  options.root = RootChoice::newton;
  options.softening = force.softening;
  options.component_softening = force.component_softening;
  options.external = force.external;
  return options;
}

/// PowerSums over the particles of all ranks.
struct PowerSums {
  double power = 0, squares = 0;  ///< of the force errors
  double potential = 0;           ///< errors in the potential energy
  double mass = 0, acceleration2 = 0, particles = 0;

  PowerSums operator+(const PowerSums& other) const {
    return {power + other.power,
            squares + other.squares,
            potential + other.potential,
            mass + other.mass,
            acceleration2 + other.acceleration2,
            particles + other.particles};
  }
};

double product(const Vec3& a, const Vec3& b) {
  return double(a[0]) * b[0] + double(a[1]) * b[1] + double(a[2]) * b[2];
}

/// \param reference exact forces; none if they are not known
PowerSums sums_of(const Particles& particles, const Forces& forces, const Forces& reference) {
  PowerSums sums;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3& a = forces.acceleration[i];
    PowerSums one{.mass = particles.mass[i], .acceleration2 = product(a, a), .particles = 1};
    if (!reference.acceleration.empty()) {
      const Vec3& exact = reference.acceleration[i];
      const Vec3 error = {a[0] - exact[0], a[1] - exact[1], a[2] - exact[2]};
      one.power = one.mass * product(particles.velocity[i], error);
      one.squares = one.power * one.power;
      one.potential = 0.5 * one.mass * (double(forces.potential[i]) - reference.potential[i]);
    }
    sums = sums + one;
  }
  return sums;
}

/// A share from 0 to 1, rounded up.
std::string percent(double share) {
  return fmt::format("{:.0f} %", std::max(0.0, std::ceil(100 * std::min(share, 1.0) - 1e-9)));
}

}  // namespace

double energy_error(const EnergyRecord& energy, double first_energy) {
  const Conserved& sums = energy.sums;
  return sums.mass > 0 ? sums.total() / first_energy - 1 : energy.tracers.largest;
}

double virial_ratio(Simulation& simulation) {
  const Conserved sums = simulation.energy().sums;
  return sums.virial != 0 ? sums.virial_ratio() : std::numeric_limits<double>::quiet_NaN();
}

std::string EnergyBound::warning(double error, const std::function<std::string(double)>& cause) {
  if (bound_ == 0 || !(std::abs(error) > bound_)) return "";
  const double bound = std::exchange(bound_, 0);
  int digits = 2;  // as many as it takes to tell it from the bound
  while (digits < 17 && std::abs(std::stod(files::rounded(error, digits))) <= bound) ++digits;
  return fmt::format(
      "the energy has changed by {} of its value at the start, more than the energy bound of {}: "
      "{}",
      files::rounded(error, digits), files::shortest(bound), cause(error));
}

std::string cause_of(double change, const std::optional<ForceErrors>& errors, double neighbour,
                     double accuracy) {
  constexpr double most_of_it = 0.5, strong = 10;
  std::string finer_steps = "use a smaller eta, or a smaller fixed or longest step";
  if (neighbour > strong) {
    finer_steps += fmt::format(
        ", or a longer softening: one particle at that distance pulls {:.2g} times as strongly as "
        "all together do on average",
        neighbour);
  }
  const std::string finer_forces = fmt::format("use a smaller accuracy than {:.3g}", accuracy);
  const std::string then = "; if that does not help, ";
  if (!errors) return "there is no memory to find out why; " + finer_steps + then + finer_forces;
  if (errors->uncertainty == 0) return "the steps are too long; " + finer_steps;
  const double share = errors->work / change;
  const double uncertainty = 2 * std::abs(errors->uncertainty / change);
  const double most = std::abs(share) + uncertainty, least = share - uncertainty;
  if (most <= most_of_it) {
    return "the steps are too long, errors of the forces explain at most " + percent(most) +
           " of it; " + finer_steps;
  }
  if (least >= most_of_it) {
    return "the forces are too inexact, their errors explain at least " + percent(least) +
           " of it; " + finer_forces;
  }
  return fmt::format(
      "the steps are too long or the forces too inexact, errors of the forces explain {} to {} of "
      "it; {}",
      percent(least), percent(most),
      share > most_of_it ? finer_forces + then + finer_steps : finer_steps + then + finer_forces);
}

std::string EnergyWatch::cause(double error) const {
  const ForceOptions force = simulation.facts().force;
  Particles particles = initial.particles;
  particles.resize(particles.size());  // an initial state may lack positions and velocities
  Forces forces, reference;
  simulation.save(particles, forces);
  const MemoryUse memory = simulation.memory();
  const auto larger = [](int a, int b) { return std::max(a, b); };
  const bool is_full = combined(ranks, int(memory.free < memory.used), larger) != 0;
  const bool has_mass =
      combined(ranks, int(std::ranges::any_of(particles.mass, [](float m) { return m > 0; })),
               larger) != 0;
  if (!is_full && has_mass) {
    reference = engine.forces(particles, simulation.time(), exact(force)).forces;
  }
  const PowerSums sums = combined(ranks, sums_of(particles, forces, reference), std::plus<>());
  const double rms = std::sqrt(sums.acceleration2 / sums.particles);
  const double pull =
      force.acceptance.gravity * sums.mass / sums.particles / (force.softening * force.softening);
  const double time = simulation.time() - start;
  std::optional<ForceErrors> errors;
  if (!is_full)
    errors = ForceErrors{sums.power * time + sums.potential, std::sqrt(sums.squares) * time};
  const double energy = simulation.energy().sums.total();
  const double change = has_mass ? energy - energy / (1 + error) : 1;
  return cause_of(change, errors, rms > 0 ? pull / rms : 0, force.acceptance.accuracy);
}

}  // namespace gothic
