#include <vector>

#include "app/commands.hpp"
#include "app/settings.hpp"
#include "core/engine/engine.hpp"
#include "files/points_file.hpp"
#include "files/snapshot.hpp"
#include "run/force_timing.hpp"
#include "run/run.hpp"

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

int direct_command(const Options& options, files::Provenance provenance) {
  const double start = steady_seconds();
  keep_input(options, "output");
  const Settings settings(options);
  const files::Snapshot snapshot = settings.read_input();
  const std::vector<files::Vec3> points = settings.read_points();
  const double read = steady_seconds() - start;
  provenance.options = settings.provenance(snapshot);
  const files::Particles& particles = snapshot.particles;
  const std::vector<std::uint32_t> targets =
      spread_targets(particles, std::uint32_t(options.integer("targets")));
  const auto engine = make_engine(settings.device());
  provenance.device = engine->device_name();
  const DirectOptions direct = settings.direct(snapshot);
  const DirectForces found = points.empty() ? engine->direct_sum(particles, targets, direct)
                                            : engine->direct_sum_at(particles, points, direct);
  files::Attributes timing = timing_of(found, engine->threads());
  timing["read"] = read;
  timing["total"] = steady_seconds() - start;
  if (points.empty()) {
    files::write_forces(options.file("output"), chosen_particles(particles, targets), found.forces,
                        snapshot.units, timing, provenance);
  } else {
    files::write_point_forces(options.file("output"), points, found.forces, snapshot.units, timing,
                              provenance);
  }
  return done;
}

}  // namespace gothic
