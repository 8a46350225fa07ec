#include <utility>

#include "app/commands.hpp"
#include "core/engine/points.hpp"
#include "core/engine/simulation.hpp"
#include "files/points_file.hpp"
#include "files/snapshot.hpp"
#include "run/run.hpp"
#include "run/timing.hpp"

namespace gothic {

namespace {

/// When the program began, and the seconds that it read for.
struct ForceClock {
  double start = 0, read = 0;
};

/// Adds the seconds of the program itself.
files::Attributes with_clock(files::Attributes timing, const ForceClock& clock) {
  timing["read"] = clock.read;
  timing["total"] = steady_seconds() - clock.start;
  return timing;
}

void force_on_particles(const Options& options, files::Snapshot& snapshot, const ForceClock& clock,
                        files::Provenance provenance) {
  const auto simulation =
      make_simulation(options.device, snapshot, force_options(options, snapshot), StepOptions{});
  files::Forces forces;
  simulation->save(snapshot, forces);
  provenance.device = simulation->device_name();
  files::write_forces(options.output, snapshot.particles, forces, snapshot.units,
                      with_clock(timing_of(simulation->first_force(),
                                           simulation->bootstrap_seconds(), simulation->threads()),
                                 clock),
                      provenance);
}

void force_at_points(const Options& options, const files::Snapshot& snapshot,
                     const std::vector<files::Vec3>& points, const ForceClock& clock,
                     files::Provenance provenance) {
  const PointForces found =
      forces_at(options.device, snapshot.particles, points, force_options(options, snapshot));
  provenance.device = found.device_name;
  files::write_point_forces(
      options.output, points, found.forces, snapshot.units,
      with_clock(timing_of(found.cost, found.bootstrap_seconds, found.threads), clock), provenance);
}

}  // namespace

int force_command(const CLI::App& command, const Options& options, files::Provenance provenance) {
  ForceClock clock{steady_seconds()};
  keep_input(options, options.output);
  files::Snapshot snapshot = read_input(options);
  const std::vector<files::Vec3> points = read_points(options);
  clock.read = steady_seconds() - clock.start;
  provenance.options = option_values(command, options, snapshot);
  if (points.empty()) {
    force_on_particles(options, snapshot, clock, std::move(provenance));
  } else {
    force_at_points(options, snapshot, points, clock, std::move(provenance));
  }
  return done;
}

}  // namespace gothic
