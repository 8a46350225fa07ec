#pragma once

#include <cmath>
#include <cstdint>

#include "core/device/combine.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/gravity/external_field.hpp"
#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"

/// The predictor-corrector of Miki & Umemura (2017), section 2.7, for particles with times of their
/// own. For a fixed step that all particles share it is the leapfrog.
namespace gothic {

/// Positions of all particles at time `now`: r + v dt + a dt^2 / 2.
/// \param before time of the last step, at or before `now`
template <class Device>
void predict(Device& device, Bodies<Device>& bodies, const TimeGrid& grid, std::int64_t before,
             std::int64_t now) {
  const Vec4 *const position = bodies.position.data(), *const velocity = bodies.velocity.data(),
                    *const acceleration = bodies.acceleration.data();
  const std::uint8_t* const level = bodies.level.data();
  Vec4* const predicted = bodies.predicted.data();
  const double tick = grid.tick;
  device.for_each(bodies.size(), [=] GOTHIC_DEVICE(std::size_t i) {
    const float dt = float(double(now - TimeGrid::last(level[i], before)) * tick), half = 0.5F * dt;
    const Vec4 r = position[i], v = velocity[i], a = acceleration[i];
    predicted[i] = {r.x + dt * (v.x + half * a.x), r.y + dt * (v.y + half * a.y),
                    r.z + dt * (v.z + half * a.z), r.w};
  });
}

/// Lists the particles of some levels, in the order of the tree.
/// \param levels bits of a mask, \param targets [n] result
template <class Device>
void select_due(Device& device, const Bodies<Device>& bodies, std::uint64_t levels,
                std::uint32_t* targets) {
  const std::uint8_t* const level = bodies.level.data();
  device.select(
      bodies.size(), [=] GOTHIC_DEVICE(std::uint32_t i) { return (levels >> level[i] & 1) != 0; },
      targets);
}

/// Lists the particles of some levels and all that advance together with one of them, in the order
/// of the tree. Returns how many.
/// \param together see StepRule
/// \param offset scratch
template <class Device>
std::uint32_t select_due_together(Device& device, const Bodies<Device>& bodies,
                                  std::uint64_t levels, std::uint32_t together,
                                  typename Device::template Buffer<std::uint32_t>& offset,
                                  std::uint32_t* targets) {
  const std::uint8_t* const level = bodies.level.data();
  const std::uint32_t n = bodies.size(), groups = (n + together - 1) / together;
  offset.resize(groups + 1);
  std::uint32_t* const first = offset.data();
  const auto due_members = [=] GOTHIC_DEVICE(std::size_t group) {
    const std::uint32_t begin = std::uint32_t(group) * together, rest = n - begin;
    const std::uint32_t members = rest < together ? rest : together;
    bool due = false;
    for (std::uint32_t i = begin; i < begin + members; ++i) {
      due = due || (levels >> level[i] & 1) != 0;
    }
    return due ? members : 0U;
  };
  const std::uint32_t count = device.exclusive_scan(groups, due_members, first);
  device.for_each(groups, [=] GOTHIC_DEVICE(std::size_t group) {
    const std::uint32_t begin = std::uint32_t(group) * together;
    const std::uint32_t members = first[group + 1] - first[group];
    for (std::uint32_t k = 0; k < members; ++k) targets[first[group] + k] = begin + k;
  });
  return count;
}

/// Completes the steps of targets with the new accelerations, v += (a_old + a_new) dt / 2, one by
/// one.
class Correction {
 public:
  /// \param before time of the step before, \param now time of this step
  /// \param fading of strong accelerations, see `remembered2`
  /// \param targets places in the order of the tree
  template <class Device>
  Correction(Bodies<Device>& bodies, const TimeGrid& grid, std::int64_t before, std::int64_t now,
             float fading, const std::uint32_t* targets)
      : position_(bodies.position.data()),
        velocity_(bodies.velocity.data()),
        acceleration_(bodies.acceleration.data()),
        predicted_(bodies.predicted.data()),
        new_acceleration_(bodies.new_acceleration.data()),
        level_(bodies.level.data()),
        targets_(targets),
        tick_(grid.tick),
        before_(before),
        now_(now),
        fading_(fading) {}

  /// Of the k-th target.
  GOTHIC_HD void operator()(std::size_t k) const {
    const std::uint32_t i = targets_[k];
    const float half = float(0.5 * double(now_ - TimeGrid::last(level_[i], before_)) * tick_);
    const Vec4 old = acceleration_[i], a = new_acceleration_[i];
    Vec4 v = velocity_[i];
    v.x += half * (old.x + a.x);
    v.y += half * (old.y + a.y);
    v.z += half * (old.z + a.z);
    v.w = remembered2(v.w, squared_length(a), fading_);
    velocity_[i] = v;
    position_[i] = predicted_[i];
    acceleration_[i] = a;
  }

 private:
  Vec4 *position_, *velocity_, *acceleration_;
  const Vec4 *predicted_, *new_acceleration_;
  const std::uint8_t* level_;
  const std::uint32_t* targets_;
  double tick_;
  std::int64_t before_, now_;
  float fading_;
};

/// Completes the steps of the targets; see Correction.
template <class Device>
void correct(Device& device, Bodies<Device>& bodies, const TimeGrid& grid, std::int64_t before,
             std::int64_t now, float fading, const std::uint32_t* targets, std::uint32_t count) {
  const Correction correction(bodies, grid, before, now, fading, targets);
  device.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) { correction(k); });
}

/// How particles choose their steps.
struct StepRule {
  enum class Mode {
    block,   ///< each has its own power of two
    shared,  ///< all take the shortest step of all
    fixed    ///< one tick
  };
  Mode mode = Mode::block;
  double eta = 0.5;
  // Simulations take these from the force and the particles.
  double softening = 0;
  /// Pointer to the device's memory, since a reduction would copy the field for each thread of a
  /// GPU. Null where no particle follows it.
  const ExternalField* field = nullptr;
  bool has_masses = true;  ///< whether any particle has a mass

  /// Whether particles remember strong accelerations.
  bool with_memory = true;
  /// Consecutive particles, in the order of the tree, that advance together with block steps: when
  /// one of them is due, and by the shortest step of all.
  std::uint32_t together = 1;

  /// Whether every particle chooses its step without looking at others.
  bool each_by_itself() const { return mode == Mode::block && together <= 1; }

  /// How much of a strong acceleration a particle forgets in a step, see `remembered2`: it lasts
  /// for some 4 sqrt(softening / a), whatever eta.
  float fading() const { return with_memory ? float(std::fmin(eta / 4, 1)) : 1; }

  /// Step that a particle wants. A particle without mass follows an external field by the field's
  /// gradient: the softening tells nothing of its orbit.
  /// \param position, velocity, acceleration see Bodies
  /// \param length its softening; 0 for that of all
  GOTHIC_HD double wanted(const Vec4& position, const Vec4& velocity, const Vec4& acceleration,
                          float length = 0) const {
    const double own = time_step(step_acceleration2(acceleration, velocity), eta,
                                 length > 0 ? double(length) : softening);
    if (position.w > 0 || field == nullptr) return own;
    const double orbital = 0.1 * eta / std::sqrt(field->gradient(position));
    return has_masses && own < orbital ? own : orbital;
  }
};

/// The steps that the particles want, by their numbers.
class WantedSteps {
 public:
  template <class Device>
  WantedSteps(const Bodies<Device>& bodies, const StepRule& rule)
      : rule_(rule),
        position_(bodies.position.data()),
        velocity_(bodies.velocity.data()),
        acceleration_(bodies.acceleration.data()),
        softening_(bodies.softening != nullptr ? bodies.softening->data() : nullptr) {}

  GOTHIC_HD double operator()(std::size_t i) const {
    return rule_.wanted(position_[i], velocity_[i], acceleration_[i],
                        softening_ != nullptr ? softening_[i] : 0);
  }

 private:
  StepRule rule_;
  const Vec4 *position_, *velocity_, *acceleration_;
  const float* softening_;
};

/// The longest step that any particle wants.
template <class Device>
double longest_step(Device& device, const Bodies<Device>& bodies, const StepRule& rule,
                    Communicator& ranks = one_rank()) {
  const WantedSteps wanted(bodies, rule);
  return reduce_all(
      device, ranks, bodies.size(), 0.0,
      [=] GOTHIC_DEVICE(std::size_t i) {
        const double step = wanted(i);
        return step < 1e30 ? step : 1e30;
      },
      Larger{});
}

/// How many particles are on each level.
template <class Device>
Population::Counts particles_by_level(const Device& device, const Bodies<Device>& bodies) {
  const std::uint8_t* const level = bodies.level.data();
  return device.template histogram<Population::levels>(
      bodies.size(), [=] GOTHIC_DEVICE(std::size_t i) { return int(level[i]); });
}

/// Gives targets that advance together the shortest step of them all.
/// \param together see StepRule; with a target, all that advance with it are targets
template <class Device>
void share_shortest(Device& device, Bodies<Device>& bodies, std::uint32_t together,
                    const std::uint32_t* targets, std::uint32_t count) {
  std::uint8_t* const level = bodies.level.data();
  device.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) {
    if (targets[k] % together != 0) return;
    const std::size_t rest = count - k, members = together < rest ? together : rest;
    std::uint8_t* const own = level + targets[k];
    std::uint8_t least = own[0];
    for (std::size_t i = 1; i < members; ++i) least = own[i] < least ? own[i] : least;
    for (std::size_t i = 0; i < members; ++i) own[i] = least;
  });
}

/// Chooses the levels of targets, one by one, by the steps that they want.
class LevelChoice {
 public:
  /// \param now time at which the targets are synchronised
  template <class Device>
  LevelChoice(Bodies<Device>& bodies, const TimeGrid& grid, const StepRule& rule, std::int64_t now,
              const std::uint32_t* targets)
      : wanted_(bodies, rule),
        grid_(grid),
        now_(now),
        level_(bodies.level.data()),
        targets_(targets) {}

  /// The level of the k-th target, which it has from now on.
  GOTHIC_HD int operator()(std::size_t k) const {
    const int own = grid_.fit(wanted_(targets_[k]), now_);
    level_[targets_[k]] = std::uint8_t(own);
    return own;
  }

 private:
  WantedSteps wanted_;
  TimeGrid grid_;
  std::int64_t now_;
  std::uint8_t* level_;
  const std::uint32_t* targets_;
};

/// Chooses the levels of the targets, which are synchronised at `now`; with shared steps all
/// particles must be targets. Returns how many targets are on each level now; see Device::Later.
/// \param ranks that have other particles, if there are any
template <class Device>
auto schedule(Device& device, Bodies<Device>& bodies, const TimeGrid& grid, const StepRule& rule,
              std::int64_t now, const std::uint32_t* targets, std::uint32_t count,
              Communicator& ranks = one_rank()) ->
    typename Device::template Later<Population::Counts> {
  const LevelChoice choice(bodies, grid, rule, now, targets);
  if (rule.each_by_itself()) {
    return device.template start_histogram<Population::levels>(
        count, [=] GOTHIC_DEVICE(std::size_t k) { return choice(k); });
  }
  std::uint8_t* const level = bodies.level.data();
  if (rule.mode == StepRule::Mode::block) {
    device.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) { choice(k); });
    share_shortest(device, bodies, rule.together, targets, count);
    return device.template start_histogram<Population::levels>(
        count, [=] GOTHIC_DEVICE(std::size_t k) { return int(level[targets[k]]); });
  }
  int all = 0;
  if (rule.mode == StepRule::Mode::shared) {  // levels first: one reduction would spill registers
    device.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) { choice(k); });
    all = reduce_all(
        device, ranks, count, grid.top,
        [=] GOTHIC_DEVICE(std::size_t k) { return int(level[targets[k]]); }, Smaller{});
  }
  device.for_each(count,
                  [=] GOTHIC_DEVICE(std::size_t k) { level[targets[k]] = std::uint8_t(all); });
  Population::Counts counts{};
  counts[std::size_t(all)] = count;
  return counts;
}

/// Completes the steps of the targets and chooses the next ones: correct() and schedule(), in one
/// pass where each target chooses by itself.
template <class Device>
auto advance(Device& device, Bodies<Device>& bodies, const TimeGrid& grid, const StepRule& rule,
             std::int64_t before, std::int64_t now, const std::uint32_t* targets,
             std::uint32_t count, Communicator& ranks = one_rank()) ->
    typename Device::template Later<Population::Counts> {
  if (rule.each_by_itself()) {
    const Correction correction(bodies, grid, before, now, rule.fading(), targets);
    const LevelChoice choice(bodies, grid, rule, now, targets);
    return device.template start_histogram<Population::levels>(count,
                                                               [=] GOTHIC_DEVICE(std::size_t k) {
                                                                 correction(k);
                                                                 return choice(k);
                                                               });
  }
  correct(device, bodies, grid, before, now, rule.fading(), targets, count);
  return schedule(device, bodies, grid, rule, now, targets, count, ranks);
}

}  // namespace gothic
