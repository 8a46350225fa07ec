#include <utility>

#include "app/commands.hpp"
#include "app/settings.hpp"
#include "core/engine/engine.hpp"
#include "files/points_file.hpp"
#include "files/snapshot.hpp"
#include "run/force_timing.hpp"
#include "run/run.hpp"

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

}  // namespace

int force_command(const Options& options, files::Provenance provenance) {
  ForceClock clock{steady_seconds()};
  keep_input(options, "output");
  const Settings settings(options);
  const files::Snapshot snapshot = settings.read_input();
  const std::vector<files::Vec3> points = settings.read_points();
  clock.read = steady_seconds() - clock.start;
  provenance.options = settings.provenance(snapshot);
  const auto engine = make_engine(settings.device());
  provenance.device = engine->device_name();
  const ForceOptions force = settings.force(snapshot);
  const TreeForces found = points.empty() ? engine->forces(snapshot.particles, force)
                                          : engine->forces_at(snapshot.particles, points, force);
  const files::Attributes timing = with_clock(timing_of(found, engine->threads()), clock);
  if (points.empty()) {
    files::write_forces(options.file("output"), snapshot.particles, found.forces, snapshot.units,
                        timing, provenance);
  } else {
    files::write_point_forces(options.file("output"), points, found.forces, snapshot.units, timing,
                              provenance);
  }
  return done;
}

}  // namespace gothic
