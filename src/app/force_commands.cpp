#include <vector>

#include "app/commands.hpp"
#include "app/settings.hpp"
#include "core/engine/engine.hpp"
#include "files/points_file.hpp"
#include "files/snapshot.hpp"
#include "run/run.hpp"
#include "run/run_logs.hpp"

namespace gothic {
namespace {

using Points = std::vector<files::Vec3>;

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

/// Reads the input, finds forces and writes them.
/// \param find returns forces on particles or, if there are some, at points; it leaves those
///        particles in the snapshot that got forces
template <class Find>
int write_found_forces(const Options& options, files::Provenance provenance, Find find) {
  const double start = steady_seconds();
  keep_input(options, "output", {options.file("output")});
  const Settings settings(options);
  files::Snapshot snapshot = settings.read_input();
  const Points points = settings.read_points();
  const double read = steady_seconds() - start;
  provenance.options = settings.provenance(snapshot);
  const auto engine = make_engine(settings.device());
  provenance.device = engine->device_name();
  const auto found = find(*engine, settings, snapshot, points);
  files::Attributes timing = timing_of(found, engine->threads());
  timing["read"] = read;
  timing["total"] = steady_seconds() - start;
  const std::filesystem::path output = options.file("output");
  if (points.empty()) {
    files::write_forces(output, snapshot.particles, found.forces, snapshot.units, timing,
                        provenance);
  } else {
    files::write_point_forces(output, points, found.forces, snapshot.units, timing, provenance);
  }
  return done;
}

}  // namespace

int force_command(const Options& options, const files::Provenance& provenance) {
  const auto find = [](Engine& engine, const Settings& settings, const files::Snapshot& snapshot,
                       const Points& points) {
    const ForceOptions force = settings.force(snapshot);
    return points.empty() ? engine.forces(snapshot.particles, force)
                          : engine.forces_at(snapshot.particles, points, force);
  };
  return write_found_forces(options, provenance, find);
}

int direct_command(const Options& options, const files::Provenance& provenance) {
  const auto count = std::uint32_t(options.integer("targets"));
  const auto find = [&](Engine& engine, const Settings& settings, files::Snapshot& snapshot,
                        const Points& points) {
    const DirectOptions direct = settings.direct(snapshot);
    if (!points.empty()) return engine.direct_sum_at(snapshot.particles, points, direct);
    const std::vector<std::uint32_t> targets = spread_targets(snapshot.particles, count);
    DirectForces found = engine.direct_sum(snapshot.particles, targets, direct);
    snapshot.particles = chosen_particles(snapshot.particles, targets);
    return found;
  };
  return write_found_forces(options, provenance, find);
}

}  // namespace gothic
