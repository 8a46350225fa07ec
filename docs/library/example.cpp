// Draws a galaxy, looks how exact its tree forces are, advances it and keeps its last state.
//
//   example MODEL.toml PARTICLES TIME SNAPSHOT.h5

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "ic/galaxy.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/samples.hpp"
#include "ic/softening.hpp"

using namespace gothic;

/// The relative error that 99 % of the accelerations do not exceed.
double error_99(const Forces& found, const ReferenceForces& exact) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < exact.acceleration.size(); ++i) {
    const auto& a = found.acceleration[i];
    const auto& b = exact.acceleration[i];
    errors.push_back(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) /
                     std::hypot(b[0], b[1], b[2]));
  }
  std::ranges::sort(errors);
  return errors[std::size_t(0.99 * double(errors.size() - 1))];
}

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::cerr << "example MODEL.toml PARTICLES TIME SNAPSHOT.h5\n";
    return 2;
  }
  const ic::Galaxy galaxy(ic::read_model(argv[1]));
  const ic::Draw draw{.particles = std::stoul(argv[2])};
  const double softening =
      ic::run_softening(galaxy, ic::samples_of(galaxy.model(), draw.particles));
  files::Snapshot snapshot = ic::draw_snapshot(galaxy, draw, softening);
  Particles& particles = snapshot.particles;

  ForceOptions force;  // as `gothic run` has them
  force.acceptance.gravity = float(galaxy.gravitational_constant());
  force.acceptance.order = Order::automatic;
  force.softening = softening;
  const std::unique_ptr<Engine> engine = make_engine({.name = "auto"});
  std::cout << "device " << engine->device().name << '\n';

  const Forces tree = engine->forces(particles, 0, force).forces;
  const std::vector<std::uint32_t> all = spread_targets(particles, 0);
  const DirectForces direct = engine->direct_sum(
      particles, all, 0, {.gravity = force.acceptance.gravity, .softening = softening});
  std::cout << "error_99 " << error_99(tree, direct.forces) << '\n';

  StepOptions steps;
  steps.end_time = std::stod(argv[3]);
  const std::unique_ptr<Simulation> simulation = engine->simulation(particles, 0, force, steps);
  const double before = simulation->energy().sums.total();
  std::int64_t count = 0;
  while (!simulation->finished()) count = simulation->step().step;
  std::cout << "steps " << count << '\n';
  std::cout << "energy_change " << simulation->energy().sums.total() / before - 1 << '\n';

  Forces forces;
  simulation->save(particles, forces);
  snapshot.time = simulation->time();
  files::write_snapshot(argv[4], snapshot, files::current_provenance("example"), &forces);
} catch (const std::exception& error) {
  std::cerr << "example: " << error.what() << '\n';
  return 1;
}
