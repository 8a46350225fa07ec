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
#include "core/messages/slices.hpp"
#include "files/text.hpp"

namespace gothic {
namespace {

/// A share from 0 to 1, rounded up.
std::string percent(double share) {
  return fmt::format("{:.0f} %", std::max(0.0, std::ceil(100 * std::min(share, 1.0) - 1e-9)));
}

/// A pull of neighbours that is too strong for steps that follow all particles together.
constexpr double strong_pull = 10;

std::string remedy_of_steps(const Remedies& remedies) {
  std::string words = "use a smaller eta, or a smaller fixed or longest step";
  if (remedies.neighbour > strong_pull) {
    words += fmt::format(
        ", or a longer softening: one particle at that distance pulls {:.2g} times as strongly as "
        "all together do on average",
        remedies.neighbour);
  }
  return words;
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

double relaxation_time(const Conserved& sums, double particles, double gravity, double softening) {
  constexpr double least_ratio = 2;  // of radius and softening
  const double speed = std::sqrt(2 * sums.kinetic_about_center() / sums.mass);
  if (!(sums.potential < 0) || !(speed > 0)) return std::numeric_limits<double>::infinity();
  const double radius = gravity * sums.mass * sums.mass / (2 * -sums.potential);
  const double logarithm = std::log(std::max(radius / softening, least_ratio));
  return particles / (8 * logarithm) * radius / speed;
}

void ForceWork::add(const ForceErrorRecord& all) {
  if (empty()) first_potential_ = all.potential;
  potential_ = all.potential;
  work_.push_back(all.work);
  errors_ += all.work_error;
  acceleration_ = all.acceleration;
}

double ForceWork::mean() const {
  double sum = 0;
  for (const double work : work_) sum += work;
  return empty() ? 0 : sum / double(samples());
}

double ForceWork::error() const {
  if (empty()) return 0;
  const auto n = double(samples());
  if (samples() < enough) return errors_ / n;
  double squares = 0;
  for (const double work : work_) squares += (work - mean()) * (work - mean());
  return std::sqrt(squares / (n - 1) / n);
}

ForceErrorRecord step_errors(const ForceSample& before, const ForceSample& after,
                             const std::function<double(const SampledForce&)>& step) {
  ForceSample compared = before;
  for (std::size_t i = 0; i < compared.forces.size(); ++i) {
    const auto& [x, y, z] = before.forces[i].exact;
    const SampledForce::Vector& later = after.forces[i].exact;
    const double change = std::hypot(later[0] - x, later[1] - y, later[2] - z);
    const double of_step = change * step(before.forces[i]) / (after.time - before.time);
    const double relative = of_step / std::hypot(x, y, z), error = relative * relative / 12;
    compared.forces[i].found = {x * (1 + error), y * (1 + error), z * (1 + error)};
  }
  return force_errors(compared).front();
}

std::string advice(const ForceErrorRecord& forces, const ForceErrorRecord& steps,
                   const Remedies& remedies) {
  if (forces.percentile_99 > steps.percentile_99) return "the forces: use " + remedies.forces;
  return (remedies.neighbour > strong_pull ? "steps at close neighbours: " : "the steps: ") +
         remedy_of_steps(remedies);
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

std::string cause_of(double change, const ForceErrors& errors, const Remedies& remedies) {
  constexpr double most_of_it = 0.5;
  const std::string finer_steps = remedy_of_steps(remedies);
  const std::string finer_forces = "use " + remedies.forces;
  if (errors.work == 0 && errors.uncertainty == 0) return "the steps are too long; " + finer_steps;
  const double share = errors.work / change;
  const double uncertainty = 2 * std::abs(errors.uncertainty / change);
  const double most = std::abs(share) + uncertainty, least = share - uncertainty;
  if (most <= most_of_it) {
    return "the steps are too long, errors of the forces explain at most " + percent(most) +
           " of it; " + finer_steps;
  }
  if (least >= most_of_it) {
    return "the forces are too inexact, their errors explain at least " + percent(least) +
           " of it; " + finer_forces;
  }
  const std::string known =
      least <= 0 && most >= 1
          ? std::string("the samples of the forces are too few to tell")
          : "errors of the forces explain " + percent(least) + " to " + percent(most) + " of it";
  const std::string then = "; if that does not help, ";
  return "the steps are too long or the forces too inexact, " + known + "; " +
         (share > most_of_it ? finer_forces + then + finer_steps
                             : finer_steps + then + finer_forces);
}

Remedies remedies_for(const ForceOptions& force, double mass, double particles,
                      double acceleration) {
  const double pull =
      force.acceptance.gravity * mass / particles / (force.softening * force.softening);
  return {acceleration > 0 ? pull / acceleration : 0,
          force.error > 0
              ? "a smaller force-error than " + files::shortest(force.error)
              : fmt::format("a smaller accuracy than {:.3g}", force.acceptance.accuracy)};
}

std::string EnergyWatch::cause(double error, double first_energy) const {
  ForceWork known = work;
  if (known.empty()) known.add(force_errors(simulation.force_sample()).front());
  const double time = simulation.time() - start;
  double own_mass = 0;
  for (const float mass : initial.particles.mass) own_mass += mass;
  const double mass = combined(ranks, own_mass, std::plus<>());
  const double particles = double(slices_of(ranks, initial.particles.size()).all);
  return cause_of(error * first_energy,
                  {known.mean() * time + known.potential(), known.error() * time},
                  remedies_for(simulation.facts().force, mass, particles, known.acceleration()));
}

}  // namespace gothic
