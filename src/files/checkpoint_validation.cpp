#include "files/checkpoint_validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/dynamics/time_grid.hpp"
#include "files/snapshot_validation.hpp"

namespace gothic::files {
namespace {

void check_head(const Snapshot& snapshot, const ComplainOfCheckpoint& complain) {
  const double gravity = snapshot.units.gravitational_constant();
  using Single = std::numeric_limits<float>;
  if (!(gravity >= double{Single::min()} && gravity <= double{Single::max()})) {
    complain("/Particles", "its units make no sense");
  }
  if (!std::isfinite(snapshot.time)) complain("/Particles/Time", "is not finite");
  if (!(std::isfinite(snapshot.softening) && snapshot.softening >= 0)) {
    complain("/Particles/Softening", "is negative or not finite");
  }
}

void check_particles(const Snapshot& snapshot, const ComplainOfCheckpoint& complain) {
  const Particles& particles = snapshot.particles;
  if (particles.size() == 0) complain("/Particles", "there are none");
  if (std::ranges::any_of(particles.type, [](int type) { return type >= particle_types; })) {
    complain("/Particles/Type", "is not from 0 to 5 for a particle");
  }
  validate(snapshot, Masses::may_vanish,
           [&](int, const std::string& name, const std::string& problem) {
             complain("/Particles/" + name, problem);
           });
}

void check_finite(const std::vector<Vec4>& values, const std::string& object,
                  const ComplainOfCheckpoint& complain) {
  const auto finite = [](const Vec4& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z) && std::isfinite(v.w);
  };
  if (!std::ranges::all_of(values, finite)) complain(object, "a number is not finite");
}

/// Every place of the input must be there once, with the mass that it has there.
void check_slots(const Checkpoint& checkpoint, const ComplainOfCheckpoint& complain) {
  const std::vector<std::uint32_t>& slot = checkpoint.state.slot;
  std::vector<bool> taken(slot.size());
  for (std::size_t i = 0; i < slot.size(); ++i) {
    if (slot[i] >= slot.size() || taken[slot[i]]) {
      complain("/State/Slot", "is no order of the particles");
    }
    taken[slot[i]] = true;
    if (checkpoint.state.position[i].w != checkpoint.snapshot.particles.mass[slot[i]]) {
      complain("/State/Position", "the masses are not those of /Particles/Masses");
    }
  }
}

void check_keys(const std::vector<std::uint64_t>& keys, const ComplainOfCheckpoint& complain) {
  constexpr int key_bits = 63;
  if (!std::ranges::is_sorted(keys) || keys.back() >> key_bits != 0) {
    complain("/State/Key", "the keys are no ascending ones of 63 bits");
  }
}

void check_clock(const SimulationState& state, const ComplainOfCheckpoint& complain) {
  const bool in_order = state.now >= 0 && state.now <= state.end && state.end <= TimeGrid::never;
  if (!in_order || state.step < 0 || state.top < 0 || state.top > TimeGrid::levels) {
    complain("/Clock/Ticks", "they are not those of a run");
  }
  if (std::ranges::any_of(state.level, [&](int level) { return level > state.top; })) {
    complain("/State/Level", "is above the highest that /Clock/Ticks has");
  }
}

void check_progress(const Checkpoint& checkpoint, const ComplainOfCheckpoint& complain) {
  const auto& progress = checkpoint.progress;
  for (const char* name : {"step", "snapshots", "interactions", "first_energy", "ended", "parts"}) {
    if (!progress.contains(name)) complain(std::string("/Progress/") + name, "is missing");
  }
  for (const auto& [name, value] : progress) {
    if (!std::isfinite(value) || (value < 0 && name != "first_energy")) {
      complain("/Progress/" + name, "is negative or not finite");
    }
  }
  if (progress.at("step") != double(checkpoint.state.step)) {
    complain("/Progress/step", "is not that of /Clock/Ticks");
  }
  for (const char* name : {"snapshots", "parts"}) {
    if (progress.at(name) > 1e9) complain(std::string("/Progress/") + name, "is too large");
  }
}

}  // namespace

void validate(const Checkpoint& checkpoint, const ComplainOfCheckpoint& complain) {
  check_head(checkpoint.snapshot, complain);
  check_particles(checkpoint.snapshot, complain);
  check_finite(checkpoint.state.position, "/State/Position", complain);
  check_finite(checkpoint.state.velocity, "/State/Velocity", complain);
  check_finite(checkpoint.state.acceleration, "/State/Acceleration", complain);
  check_slots(checkpoint, complain);
  check_keys(checkpoint.state.keys, complain);
  check_clock(checkpoint.state, complain);
  check_progress(checkpoint, complain);
}

}  // namespace gothic::files
