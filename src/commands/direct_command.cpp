#include <vector>

#include "commands/commands.hpp"
#include "io/points_file.hpp"
#include "io/snapshot.hpp"
#include "simulation/direct.hpp"
#include "simulation/run.hpp"
#include "simulation/timing.hpp"

namespace gothic {
namespace {

/// ID and type of the targets.
io::Particles chosen_particles(const io::Particles& particles,
                               const std::vector<std::uint32_t>& targets) {
  io::Particles chosen;
  for (const std::uint32_t i : targets) {
    chosen.id.push_back(particles.id[i]);
    chosen.type.push_back(particles.type[i]);
  }
  return chosen;
}

}  // namespace

int direct_command(const CLI::App& command, const Options& options, io::Provenance provenance) {
  const double start = steady_seconds();
  keep_input(options, options.output);
  const io::Snapshot snapshot = read_input(options);
  const std::vector<io::Vec3> points = read_points(options);
  const double read = steady_seconds() - start;
  provenance.options = option_values(command, options, snapshot);
  const io::Particles& particles = snapshot.particles;
  const std::vector<std::uint32_t> targets = spread_targets(particles, options.targets);
  const auto sum = [&](auto compute, auto places) {
    return compute(options.device, particles, places, snapshot.units.gravitational_constant(),
                   chosen_softening(options, snapshot), direct_precision(options),
                   chosen_field(options, snapshot));
  };
  const DirectResult result =
      points.empty() ? sum(direct_sum, std::span(targets)) : sum(direct_sum_at, std::span(points));
  io::Attributes timing = timing_of(result);
  timing["read"] = read;
  timing["total"] = steady_seconds() - start;
  provenance.device = result.device_name;
  if (points.empty()) {
    io::write_forces(options.output, chosen_particles(particles, targets), result.forces,
                     snapshot.units, timing, provenance);
  } else {
    io::write_point_forces(options.output, points, result.forces, snapshot.units, timing,
                           provenance);
  }
  return done;
}

}  // namespace gothic
