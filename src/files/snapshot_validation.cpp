#include "files/snapshot_validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gothic::files {
namespace {

/// Whether no value is NaN or infinite, in a form that the compiler vectorises.
bool all_finite(std::span<const float> values) {
  bool finite = true;
  for (const float value : values) finite &= std::abs(value) <= std::numeric_limits<float>::max();
  return finite;
}

std::string whose(const Particles& particles, std::size_t index) {
  return "of the particle with ID " + std::to_string(particles.id[index]);
}

/// Refuses NaN and infinity in `values`, which holds `columns` numbers per particle, naming the
/// first such particle.
void require_finite(const Complain& complain, const Particles& particles, const std::string& name,
                    std::span<const float> values, std::size_t columns) {
  if (all_finite(values)) return;
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  const std::size_t particle = static_cast<std::size_t>(bad - values.begin()) / columns;
  complain(particles.type[particle], name,
           "a value " + whose(particles, particle) +
               " is NaN, infinite or beyond single precision; correct or remove that particle");
}

void require_good_masses(const Complain& complain, const Particles& particles, Masses masses) {
  double total = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    if (particles.mass[i] < 0) {
      complain(particles.type[i], "Masses",
               "the mass " + whose(particles, i) + " is negative; masses must be zero or positive");
    }
    total += particles.mass[i];
  }
  if (total == 0 && masses == Masses::needed) {
    complain(particles.type.front(), "Masses",
             "all masses are zero; give at least one particle a positive mass, or the potential in "
             "which they move with --external");
  }
}

void require_unique_ids(const Complain& complain, const Particles& particles) {
  const std::vector<std::uint64_t>& ids = particles.id;
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end()) return;
  std::vector<std::uint64_t> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  const auto owner = std::find(ids.begin(), ids.end(), *twice) - ids.begin();
  complain(particles.type[owner], "ParticleIDs",
           "the ID " + std::to_string(*twice) +
               " occurs more than once; give every particle its own, or leave out ParticleIDs");
}

/// Complains unless /Components, where it is there, names the component of every particle.
void require_named_components(const Complain& complain, const Snapshot& snapshot) {
  if (snapshot.components.empty()) return;
  const Particles& particles = snapshot.particles;
  const auto count = static_cast<std::int32_t>(snapshot.components.size());
  const auto bad = std::ranges::find_if(particles.component,
                                        [&](std::int32_t k) { return k < 0 || k >= count; });
  if (bad == particles.component.end()) return;
  const auto particle = static_cast<std::size_t>(bad - particles.component.begin());
  complain(particles.type[particle], "Component",
           "is " + std::to_string(*bad) + " for the particle with ID " +
               std::to_string(particles.id[particle]) + ", but /Components names " +
               std::to_string(count) + "; correct it or leave out /Components");
}

}  // namespace

void validate(const Snapshot& snapshot, Masses masses, const Complain& complain) {
  const Particles& particles = snapshot.particles;
  const auto flat = [](const std::vector<Vec3>& vectors) {
    return std::span(vectors.front().data(), 3 * vectors.size());
  };
  require_finite(complain, particles, "Coordinates", flat(particles.position), 3);
  require_finite(complain, particles, "Velocities", flat(particles.velocity), 3);
  require_finite(complain, particles, "Masses", particles.mass, 1);
  require_good_masses(complain, particles, masses);
  require_unique_ids(complain, particles);
  require_named_components(complain, snapshot);
}

}  // namespace gothic::files
