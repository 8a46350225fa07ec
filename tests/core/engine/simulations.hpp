#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/device/all_devices.hpp"
#include "core/engine/engine.hpp"
#include "core/setting_error.hpp"
#include "files/snapshot.hpp"
#include "ic/initial_conditions.hpp"
#include "ic/model.hpp"

namespace gothic::test {

/// Particles of a model with one softening length for all.
inline files::Snapshot sample(const ic::Model& model, std::size_t count, double softening) {
  return {.units = model.units,
          .softening = softening,
          .components = {},
          .particles = ic::draw_particles(ic::Galaxy(model, 2), count, 1, 2)};
}

/// A Plummer sphere in equilibrium, G = M = a = 1: the dynamical time at the half-mass radius is
/// 1.5, the softening 1/32.
inline files::Snapshot plummer(std::size_t count) {
  const char* text =
      "[[component]]\nname = \"plummer\"\nprofile = \"plummer\"\nmass = 1\nscale = 1\n";
  return sample(ic::parse_model(text, "plummer.toml"), count, 1.0 / 32);
}

/// Particles at rest at the origin, with IDs 1, 2, ... and a softening of 1/16.
inline files::Snapshot particles_at_rest(std::size_t count) {
  files::Snapshot snapshot{.units = {}, .softening = 1.0 / 16, .particles = {}};
  snapshot.particles.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    snapshot.particles.id[i] = i + 1;
    snapshot.particles.mass[i] = 1.0F / float(count);
  }
  return snapshot;
}

/// A simulation of a snapshot, or one that goes on from a state.
inline std::unique_ptr<Simulation> make_simulation(const DeviceChoice& device,
                                                   const files::Snapshot& start,
                                                   const ForceOptions& force,
                                                   const StepOptions& steps,
                                                   const SimulationState* state = nullptr) {
  const auto engine = make_engine(device);
  return state != nullptr ? engine->resumed(start.particles, *state, force, steps)
                          : engine->simulation(start.particles, start.time, force, steps);
}

/// The present state.
inline void save(Simulation& simulation, files::Snapshot& snapshot, Forces& forces) {
  simulation.save(snapshot.particles, forces);
  snapshot.time = simulation.time();
}

/// Errors of accelerations relative to direct sums, in ascending order.
inline std::vector<double> relative_errors(const Forces& found, const ReferenceForces& exact) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < found.acceleration.size(); ++i) {
    const auto& a = found.acceleration[i];
    const auto& b = exact.acceleration[i];
    errors.push_back(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) /
                     std::hypot(b[0], b[1], b[2]));
  }
  std::ranges::sort(errors);
  return errors;
}

/// Results of a run.
struct Outcome {
  std::vector<StepRecord> steps;
  std::vector<Conserved> sums;  ///< at the start and whenever all particles are synchronised
  files::Snapshot end;
  files::Forces forces;
  double time = 0;
  bool synchronised = false;

  double energy_error() const {
    double largest = 0;
    for (const Conserved& sum : sums) {
      largest = std::max(largest, std::abs(sum.total() / sums.front().total() - 1));
    }
    return largest;
  }

  std::uint64_t updates() const {
    std::uint64_t count = 0;
    for (const StepRecord& step : steps) count += step.active;
    return count;
  }
};

/// The words of all devices, as parameters.
inline auto every_device() {
  return std::apply([](const auto&... kind) { return ::testing::Values(kind.word.data()...); },
                    all_devices);
}

/// Runs on one device, named by the parameter; skipped where the device is missing.
class SimulationOnDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      make_engine(device());
    } catch (const SettingError& missing) {
      GTEST_SKIP() << missing.what();
    }
  }

  DeviceChoice device(int threads = 2) const { return {GetParam(), threads}; }

  static ForceOptions forces(const files::Snapshot& snapshot, float accuracy = 0x1p-7F) {
    ForceOptions options;
    options.acceptance = {Mac::acceleration, accuracy,
                          float(snapshot.units.gravitational_constant())};
    options.softening = float(snapshot.softening);
    return options;
  }

  static StepOptions steps(const files::Snapshot& snapshot, double end_time,
                           StepRule::Mode mode = StepRule::Mode::block, double eta = 0.5) {
    StepOptions options;
    options.rule = {mode, eta, snapshot.softening};
    options.end_time = end_time;
    return options;
  }

  /// Advances to the end time.
  Outcome run(const files::Snapshot& start, const ForceOptions& force, const StepOptions& step,
              int threads = 2) const {
    const auto simulation = make_simulation(device(threads), start, force, step);
    Outcome outcome{.steps = {}, .sums = {simulation->energy().sums}, .end = start, .forces = {}};
    while (!simulation->finished()) {
      outcome.steps.push_back(simulation->step());
      if (simulation->synchronised()) outcome.sums.push_back(simulation->energy().sums);
    }
    outcome.time = simulation->time();
    outcome.synchronised = simulation->synchronised();
    save(*simulation, outcome.end, outcome.forces);
    return outcome;
  }

  /// Errors of the accelerations of about `count` particles, relative to direct sums in double
  /// precision, in ascending order.
  std::vector<double> force_errors(const files::Snapshot& snapshot, const files::Forces& forces,
                                   std::size_t count) const {
    const std::size_t n = snapshot.particles.size();
    std::vector<std::uint32_t> targets;
    for (std::size_t k = 0; k < std::min(count, n); ++k) {
      targets.push_back(std::uint32_t(k * n / std::min(count, n)));
    }
    const DirectForces exact = make_engine(device())->direct_sum(
        snapshot.particles, targets, snapshot.time,
        {snapshot.units.gravitational_constant(), snapshot.softening});
    Forces of_targets;
    for (const std::uint32_t i : targets) {
      of_targets.acceleration.push_back(forces.acceleration[i]);
    }
    return relative_errors(of_targets, exact.forces);
  }
};

/// The error that a fraction of the particles does not exceed.
inline double quantile(const std::vector<double>& sorted, double fraction) {
  return sorted[std::size_t(fraction * double(sorted.size() - 1))];
}

/// Radius about the origin that holds a fraction of the particles.
inline double lagrangian_radius(const files::Snapshot& snapshot, double fraction) {
  std::vector<double> radii;
  for (const files::Vec3& r : snapshot.particles.position) {
    radii.push_back(std::hypot(double(r[0]), double(r[1]), double(r[2])));
  }
  std::sort(radii.begin(), radii.end());
  return quantile(radii, fraction);
}

}  // namespace gothic::test
