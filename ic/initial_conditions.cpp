#include "ic/initial_conditions.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>

#include "files/error.hpp"
#include "ic/sampler.hpp"

namespace gothic::ic {
namespace {

/// Linux would promise more memory than there is, and end the program when it is used.
void require_memory(std::size_t particles) {
  constexpr std::size_t bytes = sizeof(std::uint64_t) + 2 * sizeof(files::Vec3) + sizeof(float) +
                                sizeof(std::int32_t) + sizeof(std::uint8_t);
  const auto there = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (particles > there / bytes) throw std::bad_alloc();
}

void require_single_precision(const files::Particles& particles) {
  const auto finite = [](const files::Vec3& v) {
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
  };
  if (std::ranges::all_of(particles.position, finite) &&
      std::ranges::all_of(particles.velocity, finite)) {
    return;
  }
  throw InputError(
      "the model's particles leave single precision; choose other units or components that differ "
      "less in scale");
}

}  // namespace

void require_enough_particles(const Model& model, std::size_t particles) {
  if (particles >= model.components.size()) return;
  throw InputError("--particles: fewer than the model has components; give at least " +
                   std::to_string(model.components.size()));
}

Galaxy make_galaxy(const Model& model, const std::string& file, unsigned threads) {
  try {
    return Galaxy(model, threads);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
}

files::Snapshot draw_snapshot(const Galaxy& galaxy, const Draw& draw, unsigned threads) {
  require_memory(draw.particles);
  const Model& model = galaxy.model();
  files::Snapshot snapshot{
      .units = model.units, .softening = model.softening, .components = {}, .particles = {}};
  double shortest = std::numeric_limits<double>::infinity();
  for (const Component& component : model.components) {
    const double own = component.softening > 0 ? component.softening : model.softening;
    if (own > 0) shortest = std::min(shortest, own);
    snapshot.components.push_back({component.name, component.type, own});
  }
  if (model.softening == 0 && std::isfinite(shortest)) snapshot.softening = shortest;
  snapshot.particles = draw_particles(galaxy, draw.particles, draw.seed, threads, draw.quiet);
  require_single_precision(snapshot.particles);
  return snapshot;
}

files::Provenance provenance(const Draw& draw, const Model& model) {
  files::Provenance result = files::current_provenance("gothic-ic");
  result.device = "cpu";
  result.date.clear();
  result.options = {{"particles", std::to_string(draw.particles)},
                    {"seed", std::to_string(draw.seed)},
                    {"quiet-start", draw.quiet ? "true" : "false"},
                    {"allow-negative", draw.allow_negative ? "true" : "false"},
                    {"model", model.text}};
  return result;
}

}  // namespace gothic::ic
