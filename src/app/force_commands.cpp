#include <cstddef>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "core/engine/engine.hpp"
#include "files/points_file.hpp"
#include "files/snapshot.hpp"
#include "parallel/rank_device.hpp"
#include "run/files_of_ranks.hpp"
#include "run/force_error_bounds.hpp"
#include "run/force_timing.hpp"
#include "run/run.hpp"
#include "settings/settings.hpp"

namespace gothic {
namespace {

using Points = std::vector<files::Vec3>;

/// Memory of the CPU for each particle of a tree force, at least; measured.
constexpr double bytes_of_force = 220;

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

/// A rank's part of the points that all ranks have read.
Points own_part(const Communicator& ranks, const Points& points) {
  const auto rank = std::size_t(ranks.rank()), size = std::size_t(ranks.size());
  return {points.begin() + std::ptrdiff_t(points.size() * rank / size),
          points.begin() + std::ptrdiff_t(points.size() * (rank + 1) / size)};
}

/// Reads the input, finds forces and writes them.
/// \param bytes_of_each see Settings::read_input
/// \param find returns forces on particles or, if there are some, at points; it leaves in the
///        snapshot the particles that got forces
template <class Find>
int write_found_forces(const Options& options, files::Provenance provenance, parallel::World& world,
                       double bytes_of_each, Find find) {
  const double start = steady_seconds();
  Communicator& ranks = world.ranks();
  const Settings settings(options, ranks);
  const std::future<void> starting = parallel::start_own_device(settings.device(), world);
  files::Snapshot snapshot = settings.read_input(bytes_of_each);
  const Points points = own_part(ranks, settings.read_points());
  const double read = steady_seconds() - start;
  provenance.options = settings.provenance(snapshot);
  const auto engine = make_engine(parallel::rank_device(settings.device(), world), ranks);
  provenance.set(engine->device());
  const auto found = find(*engine, settings, snapshot, points);
  files::Attributes timing = timing_of(found, engine->threads());
  timing.merge(work_of_process());
  timing["read"] = read;
  timing["total"] = steady_seconds() - start;
  const std::filesystem::path output = options.file("output");
  write_forces_of_ranks(ranks, output, snapshot, points, found.forces, timing, provenance);
  return done;
}

}  // namespace

int force_command(const Options& options, const files::Provenance& provenance,
                  parallel::World& world) {
  const bool at_particles = !options.given("at"), is_first = leads(world.ranks());
  const auto find = [=](Engine& engine, const Settings& settings, const files::Snapshot& snapshot,
                        const Points& points) {
    const ForceOptions force = settings.force(snapshot);
    TreeForces found = at_particles
                           ? engine.forces(snapshot.particles, snapshot.time, force)
                           : engine.forces_at(snapshot.particles, points, snapshot.time, force);
    if (is_first && !found.errors.empty()) {
      std::cout << in_words(found.errors.front()) << std::endl;
      ForceErrorBounds bounds(force.error, snapshot.components);
      for (const std::string& warning : bounds.warnings(found.errors, {}, {})) {
        std::cerr << "gothic: warning: " << warning << std::endl;
      }
    }
    return found;
  };
  return write_found_forces(options, provenance, world, bytes_of_force, find);
}

int direct_command(const Options& options, const files::Provenance& provenance,
                   parallel::World& world) {
  const auto count = std::uint32_t(options.integer("targets"));
  const auto find = [&](Engine& engine, const Settings& settings, files::Snapshot& snapshot,
                        const Points& points) {
    const DirectOptions direct = settings.direct(snapshot);
    if (!points.empty())
      return engine.direct_sum_at(snapshot.particles, points, snapshot.time, direct);
    const std::vector<std::uint32_t> targets = spread_targets(snapshot.particles, count);
    DirectForces found = engine.direct_sum(snapshot.particles, targets, snapshot.time, direct);
    snapshot.particles = chosen_particles(snapshot.particles, targets);
    return found;
  };
  return write_found_forces(options, provenance, world, Settings::bytes_to_read, find);
}

}  // namespace gothic
