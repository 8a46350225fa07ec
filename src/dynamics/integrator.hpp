#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "dynamics/bodies.hpp"

/// The predictor-corrector of Miki & Umemura (2017), section 2.7, for particles with times of their
/// own. For a fixed step that all particles share it is the leapfrog.
namespace gothic {

/// Earliest time at which a particle is due.
template <class Device>
std::int64_t next_due(Device& device, const Bodies<Device>& bodies) {
  const Clock* const clock = bodies.clock.data();
  return device.reduce(
      bodies.size(), std::numeric_limits<std::int64_t>::max(),
      [=] GOTHIC_HD(std::size_t i) { return clock[i].due; },
      [] GOTHIC_HD(std::int64_t a, std::int64_t b) { return a < b ? a : b; });
}

/// Positions of all particles at time `now`: r + v dt + a dt^2 / 2.
template <class Device>
void predict(Device& device, Bodies<Device>& bodies, const TimeGrid& grid, std::int64_t now) {
  const Vec4 *const position = bodies.position.data(), *const velocity = bodies.velocity.data(),
                    *const acceleration = bodies.acceleration.data();
  const Clock* const clock = bodies.clock.data();
  Vec4* const predicted = bodies.predicted.data();
  const double tick = grid.tick;
  device.for_each(bodies.size(), [=] GOTHIC_HD(std::size_t i) {
    const float dt = float(double(now - clock[i].last) * tick), half = 0.5F * dt;
    const Vec4 r = position[i], v = velocity[i], a = acceleration[i];
    predicted[i] = {r.x + dt * (v.x + half * a.x), r.y + dt * (v.y + half * a.y),
                    r.z + dt * (v.z + half * a.z), r.w};
  });
}

/// Lists the particles that are due at `now`, in the order of the tree; returns how many.
/// \param targets [n] result, \param offset [n] scratch
template <class Device>
std::uint32_t select_due(Device& device, const Bodies<Device>& bodies, std::int64_t now,
                         std::uint32_t* targets, std::uint32_t* offset) {
  const Clock* const clock = bodies.clock.data();
  const std::uint32_t count = device.exclusive_scan(
      bodies.size(), [=] GOTHIC_HD(std::size_t i) { return std::uint32_t(clock[i].due == now); },
      offset);
  device.for_each(bodies.size(), [=] GOTHIC_HD(std::size_t i) {
    if (clock[i].due == now) targets[offset[i]] = std::uint32_t(i);
  });
  return count;
}

/// Completes the step of the targets with the new accelerations: v += (a_old + a_new) dt / 2.
template <class Device>
void correct(Device& device, Bodies<Device>& bodies, const TimeGrid& grid, std::int64_t now,
             const std::uint32_t* targets, std::uint32_t count) {
  Vec4 *const position = bodies.position.data(), *const velocity = bodies.velocity.data(),
              *const acceleration = bodies.acceleration.data();
  const Vec4 *const predicted = bodies.predicted.data(), *const new_acceleration =
                                                             bodies.new_acceleration.data();
  Clock* const clock = bodies.clock.data();
  const double tick = grid.tick;
  device.for_each(count, [=] GOTHIC_HD(std::size_t k) {
    const std::uint32_t i = targets[k];
    const float half = float(0.5 * double(now - clock[i].last) * tick);
    const Vec4 old = acceleration[i], a = new_acceleration[i];
    Vec4 v = velocity[i];
    v.x += half * (old.x + a.x);
    v.y += half * (old.y + a.y);
    v.z += half * (old.z + a.z);
    velocity[i] = v;
    position[i] = predicted[i];
    acceleration[i] = a;
    clock[i].last = now;
  });
}

/// How particles choose their steps.
struct StepRule {
  enum class Mode {
    block,   ///< each its own power of two
    shared,  ///< all the shortest of all
    fixed    ///< one tick
  };
  Mode mode = Mode::block;
  double eta = 0.5;
  double softening = 0;
};

/// The longest step that any particle wants.
template <class Device>
double longest_step(Device& device, const Bodies<Device>& bodies, const StepRule& rule) {
  const Vec4* const acceleration = bodies.acceleration.data();
  const double eta = rule.eta, softening = rule.softening;
  return device.reduce(
      bodies.size(), 0.0,
      [=] GOTHIC_HD(std::size_t i) {
        const Vec4 a = acceleration[i];
        const double step = time_step(a.x * a.x + a.y * a.y + a.z * a.z, eta, softening);
        return step < 1e30 ? step : 1e30;
      },
      [] GOTHIC_HD(double a, double b) { return a > b ? a : b; });
}

/// Lengths of steps in ticks.
struct StepRange {
  std::int64_t shortest, longest;
};

/// The shortest and the longest of the targets' present steps, which are at most `largest`.
template <class Device>
StepRange step_range(Device& device, const Bodies<Device>& bodies, std::int64_t largest,
                     const std::uint32_t* targets, std::uint32_t count) {
  const Clock* const clock = bodies.clock.data();
  return device.reduce(
      count, StepRange{largest, 1},
      [=] GOTHIC_HD(std::size_t k) {
        const Clock c = clock[targets[k]];
        return StepRange{c.due - c.last, c.due - c.last};
      },
      [] GOTHIC_HD(const StepRange& a, const StepRange& b) {
        return StepRange{b.shortest < a.shortest ? b.shortest : a.shortest,
                         b.longest > a.longest ? b.longest : a.longest};
      });
}

/// Sets when the targets are due next. With shared steps all particles must be targets.
template <class Device>
void schedule(Device& device, Bodies<Device>& bodies, const TimeGrid& grid, const StepRule& rule,
              std::int64_t now, const std::uint32_t* targets, std::uint32_t count) {
  const Vec4* const acceleration = bodies.acceleration.data();
  Clock* const clock = bodies.clock.data();
  const auto wanted = [=] GOTHIC_HD(std::size_t k) {
    const Vec4 a = acceleration[targets[k]];
    return grid.fit(time_step(a.x * a.x + a.y * a.y + a.z * a.z, rule.eta, rule.softening), now);
  };
  if (rule.mode == StepRule::Mode::block) {
    device.for_each(
        count, [=] GOTHIC_HD(std::size_t k) { clock[targets[k]].due = grid.due(now, wanted(k)); });
    return;
  }
  const std::int64_t step =
      rule.mode == StepRule::Mode::fixed
          ? 1
          : device.reduce(count, grid.largest, wanted,
                          [] GOTHIC_HD(std::int64_t a, std::int64_t b) { return a < b ? a : b; });
  device.for_each(count,
                  [=] GOTHIC_HD(std::size_t k) { clock[targets[k]].due = grid.due(now, step); });
}

}  // namespace gothic
