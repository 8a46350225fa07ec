#include <vector>

#include "app/commands.hpp"
#include "core/engine/direct.hpp"
#include "files/points_file.hpp"
#include "files/snapshot.hpp"
#include "run/run.hpp"
#include "run/timing.hpp"

namespace gothic {
namespace {

/// ID and type of the targets.
files::Particles chosen_particles(const files::Particles& particles,
                                  const std::vector<std::uint32_t>& targets) {
  files::Particles chosen;
  for (const std::uint32_t i : targets) {
    chosen.id.push_back(particles.id[i]);
    chosen.type.push_back(particles.type[i]);
  }
  return chosen;
}

}  // namespace

int direct_command(const CLI::App& command, const Options& options, files::Provenance provenance) {
  const double start = steady_seconds();
  keep_input(options, options.output);
  const files::Snapshot snapshot = read_input(options);
  const std::vector<files::Vec3> points = read_points(options);
  const double read = steady_seconds() - start;
  provenance.options = option_values(command, options, snapshot);
  const files::Particles& particles = snapshot.particles;
  const std::vector<std::uint32_t> targets = spread_targets(particles, options.targets);
  const auto sum = [&](auto compute, auto places) {
    return compute(options.device, particles, places, snapshot.units.gravitational_constant(),
                   chosen_softening(options, snapshot), direct_precision(options),
                   chosen_field(options, snapshot));
  };
  const DirectResult result =
      points.empty() ? sum(direct_sum, std::span(targets)) : sum(direct_sum_at, std::span(points));
  files::Attributes timing = timing_of(result);
  timing["read"] = read;
  timing["total"] = steady_seconds() - start;
  provenance.device = result.device_name;
  if (points.empty()) {
    files::write_forces(options.output, chosen_particles(particles, targets), result.forces,
                        snapshot.units, timing, provenance);
  } else {
    files::write_point_forces(options.output, points, result.forces, snapshot.units, timing,
                              provenance);
  }
  return done;
}

}  // namespace gothic
