#include "run/watched.hpp"

#include <cmath>
#include <stdexcept>

#include "files/text.hpp"

namespace gothic {
namespace {

using files::formatted;

/// Not finite ones, too: they are what is looked for.
std::string number(float value) {
  return std::isfinite(value) ? formatted("{:.4g}", value) : std::isnan(value) ? "nan" : "inf";
}

std::string vector(const Vec4& v) {
  std::string text(1, '(');
  text.append(number(v.x)).append(", ").append(number(v.y)).append(", ").append(number(v.z));
  return text += ')';
}

}  // namespace

std::string words_for(const OneParticle& particle, const files::Snapshot& snapshot) {
  const auto component = std::size_t(snapshot.particles.component[particle.slot]);
  std::string words = "particle " + std::to_string(snapshot.particles.id[particle.slot]);
  if (component < snapshot.components.size()) words += " of " + snapshot.components[component].name;
  return words + " at " + vector(particle.position);
}

Watch::Particles watched(Simulation& simulation, const files::Snapshot& snapshot) {
  return {[&] { return simulation.levels(); }, simulation.shortest_countable(),
          [&] {
            const OneParticle particle = simulation.shortest_step();
            const double step = simulation.step_of(particle);
            const Vec4 a = particle.acceleration;
            return Watch::Particles::Shortest{
                step, words_for(particle, snapshot) + " has the acceleration " +
                          formatted("{:.4g}", std::hypot(a.x, a.y, a.z)) +
                          ", and so the step eta sqrt(softening / acceleration) is " +
                          formatted("{:.4g}", step)};
          }};
}

void check_finite(Simulation& simulation, const files::Snapshot& snapshot, const Conserved& sums) {
  if (std::isfinite(sums.total())) return;
  std::string message =
      "the energy became infinite at time " + formatted("{:.6g}", simulation.time());
  const OneParticle first = simulation.first_not_finite();
  if (first.slot != OneParticle::none) {
    message += ": " + words_for(first, snapshot) + " with the velocity " + vector(first.velocity) +
               " and the acceleration " + vector(first.acceleration) +
               " is the first that is not finite";
  }
  throw std::runtime_error(message + "; use a smaller --eta or a larger --softening");
}

}  // namespace gothic
