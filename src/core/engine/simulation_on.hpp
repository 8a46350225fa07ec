#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/engine/set_up.hpp"
#include "core/engine/simulation.hpp"
#include "core/setting_error.hpp"

namespace gothic {

/// The simulation on one kind of device: what happens in a step, in order.
template <DeviceType Device>
class SimulationOn final : public Simulation {
 public:
  SimulationOn(Device device, const Particles& particles, double time, const ForceOptions& force,
               const StepOptions& steps)
      : SimulationOn(std::move(device), particles.size(), force, steps) {
    origin_ = time;
    upload(device_, particles, bodies_, targets_);
    follow_field(particles.mass);
    if (!steps_.rule.has_masses) {
      first_energy_.resize(particles.size());
      find_energies(device_, bodies_, force.external, first_energy_.data());
    }
    find_first_forces();
    start_clocks();
  }
  /// \param state to go on from
  SimulationOn(Device device, const SimulationState& state, const ForceOptions& force,
               const StepOptions& steps)
      : SimulationOn(std::move(device), state.slot.size(), force, steps) {
    resume(state);
  }

  StepRecord step() override {
    typename Device::Timer timer(device_);
    StepRecord record;
    record.step = ++step_;
    const std::int64_t before = now_;
    const Population::Due due = population_.next(grid_, now_);
    now_ = due.time;
    record.active = due.particles;
    predict(device_, bodies_, grid_, before, now_);
    timer.lap(record.predict);

    solver_.tell_motion();
    record.rebuilt = rebuild_->due(kind_of_step());
    if (record.rebuilt) rebuild(device_, bodies_, solver_, timer, record.force);

    select_due(device_, bodies_, due.levels, targets_.data());
    timer.lap(record.correct);
    evaluate(record.active, timer, record.force);

    correct(device_, bodies_, grid_, before, now_, targets_.data(), record.active);
    const Population::Counts chosen =
        schedule(device_, bodies_, grid_, steps_.rule, now_, targets_.data(), record.active);
    timer.lap(record.correct);
    solver_.add_counts(record.force);
    record.total = timer.finish();

    population_.move(due.levels, chosen);
    tune(record.force);
    synchronised_ = record.active == bodies_.size();
    record.time = time();
    record.dt = grid_.time(now_ - before);
    set_levels(chosen, record);
    return record;
  }

  double time() const override {
    return finished() && target_ ? *target_ : origin_ + grid_.time(now_);
  }
  void stop_at(double stop) override;
  bool finished() const override { return now_ >= grid_.end; }
  bool synchronised() const override { return synchronised_; }
  Conserved conserved() override {
    return gothic::conserved(device_, bodies_, solver_.options().external);
  }
  TracerErrors tracer_errors() override {
    if (first_energy_.size() == 0) return {};
    return gothic::tracer_errors(device_, bodies_, solver_.options().external,
                                 first_energy_.data());
  }
  Roughness roughness() override { return gothic::roughness(device_, bodies_); }

  StepLevels levels() const override;
  double shortest_countable() const override {
    return steps_.rule.mode == StepRule::Mode::fixed ? 0 : grid_.tick;
  }
  OneParticle shortest_step() override {
    return gothic::shortest_step(device_, bodies_, steps_.rule);
  }
  double step_of(const OneParticle& particle) const override {
    StepRule rule = steps_.rule;
    if (rule.field != nullptr) rule.field = &solver_.options().external;  // not the device's
    return gothic::step_of(particle, rule);
  }
  OneParticle first_not_finite() override { return gothic::first_not_finite(device_, bodies_); }

  void save(Particles& particles, Forces& forces) override;
  SimulationState state() override;

  const ForceCost& first_force() const override { return first_force_; }
  double bootstrap_seconds() const override { return bootstrap_seconds_; }
  ForceOptions force_options() const override;
  BlockSizes block_sizes() const override { return device_.block_sizes(); }
  std::string device_name() const override { return device_.name(); }
  int threads() const override { return device_.threads(); }
  std::size_t memory() const override { return device_.used_memory(); }
  std::size_t free_memory() const override { return device_.free_memory(); }

 private:
  SimulationOn(Device device, std::size_t particles, const ForceOptions& force,
               const StepOptions& steps)
      : device_(std::move(device)),
        solver_(device_, force),
        steps_(steps),
        rebuild_(make_rebuild_policy(particles)) {
    steps_.rule.softening = force.softening;
  }

  std::unique_ptr<RebuildPolicy> make_rebuild_policy(std::size_t particles) const {
    using Defaults = typename Device::Defaults;
    if (steps_.rebuild_interval > 0) return std::make_unique<RebuildEvery>(steps_.rebuild_interval);
    if (steps_.rebuild_policy) return steps_.rebuild_policy();
    return std::make_unique<RebuildByGrowth>(Defaults::build_cost +
                                             Defaults::build_overhead / double(particles));
  }

  void follow_field(const std::vector<float>& masses);
  void find_first_forces();
  void start_clocks();
  std::int64_t ticks_until(double stop) const;
  void choose_all_steps();
  void resume(const SimulationState& state);

  /// Visits the numbers of SimulationState.
  void visit(NamedState& all) {
    all("tick", grid_.tick)("origin", origin_)("target", target_)("rebuild", *rebuild_);
    if (auto* const grouping = solver_.grouping()) all("grouping", *grouping);
  }

  /// Time in ticks that stands for the kind of the present step (see StepCosts). At the end of the
  /// grid all particles are active, whatever the number of ticks, so the longest step stands for
  /// it.
  std::int64_t kind_of_step() const {
    return now_ == grid_.end ? std::int64_t(1) << grid_.top : now_;
  }

  /// Learns from what the step cost.
  void tune(const ForceCost& cost) {
    rebuild_->record(kind_of_step(), {cost.equivalent_pairs() / bodies_.size(), cost.walk,
                                      cost.keys + cost.sort + cost.build});
    if (auto* const grouping = solver_.grouping()) {
      grouping->record(kind_of_step(), rebuild_->age(), cost.groups + cost.walk);
    }
  }

  /// New accelerations of the first `active` targets.
  void evaluate(std::uint32_t active, typename Device::Timer& timer, ForceCost& cost) {
    solver_.evaluate(bodies_.predicted.data(), bodies_.acceleration.data(), targets_.data(), active,
                     bodies_.new_acceleration.data(), timer, cost);
  }

  void set_levels(const Population::Counts& chosen, StepRecord& record) const {
    if (finished()) {
      record.level_min = record.level_max = std::ilogb(record.dt);
      return;
    }
    const auto is_occupied = [](std::uint32_t particles) { return particles > 0; };
    const auto lowest = std::ranges::find_if(chosen, is_occupied);
    const auto highest = std::find_if(chosen.rbegin(), chosen.rend(), is_occupied);
    record.level_min = std::ilogb(grid_.time(std::int64_t(1) << (lowest - chosen.begin())));
    record.level_max = std::ilogb(grid_.time(std::int64_t(1) << (chosen.rend() - highest - 1)));
  }

  Device device_;
  ForceSolver<Device> solver_;
  Bodies<Device> bodies_;
  typename Device::template Buffer<std::uint32_t> targets_;
  typename Device::template Buffer<ExternalField> field_;  ///< of the rule of steps
  typename Device::template Buffer<double> first_energy_;  ///< see SimulationState
  StepOptions steps_;
  std::unique_ptr<RebuildPolicy> rebuild_;
  TimeGrid grid_;
  Population population_;
  double origin_ = 0;             ///< time at which the grid begins
  std::optional<double> target_;  ///< time at which the grid ends
  std::int64_t now_ = 0, step_ = 0;
  bool synchronised_ = true;
  ForceCost first_force_;
  double bootstrap_seconds_ = 0;
};

/// Tells the rule of steps which particles there are, and of the field if some have no mass.
template <DeviceType Device>
void SimulationOn<Device>::follow_field(const std::vector<float>& masses) {
  const auto has_mass = [](float mass) { return mass > 0; };
  steps_.rule.has_masses = std::ranges::any_of(masses, has_mass);
  const ExternalField& field = solver_.options().external;
  if (field.count == 0 || std::ranges::all_of(masses, has_mass)) return;
  field_.resize(1);
  field_.upload(std::span(&field, 1));
  steps_.rule.field = field_.data();
}

template <DeviceType Device>
void SimulationOn<Device>::find_first_forces() {
  typename Device::Timer timer(device_);
  rebuild(device_, bodies_, solver_, timer, first_force_);
  bootstrap_seconds_ = bootstrap(bodies_, solver_, targets_.data(), timer);
  evaluate(bodies_.size(), timer, first_force_);
  bodies_.acceleration.swap(bodies_.new_acceleration);
  solver_.add_counts(first_force_);
  timer.finish();
  if (auto* const grouping = solver_.grouping()) grouping->begin(device_, solver_.last_groups());
}

template <DeviceType Device>
void SimulationOn<Device>::start_clocks() {
  if (steps_.rule.mode == StepRule::Mode::fixed) {
    grid_ = TimeGrid::fixed(steps_.fixed_step);
  } else {
    double longest = longest_step(device_, bodies_, steps_.rule);
    for (const double limit : {steps_.longest_step, steps_.end_time}) {
      if (limit > 0) longest = std::min(longest, limit);
    }
    grid_ = TimeGrid::adaptive(longest);
  }
  choose_all_steps();
  if (steps_.end_time > 0) stop_at(origin_ + steps_.end_time);
}

template <DeviceType Device>
void SimulationOn<Device>::choose_all_steps() {
  list_all(device_, bodies_.size(), targets_.data());
  population_ = {};
  population_.move(
      0, schedule(device_, bodies_, grid_, steps_.rule, now_, targets_.data(), bodies_.size()));
}

template <DeviceType Device>
void SimulationOn<Device>::stop_at(double stop) {
  if (finished()) {  // all particles are synchronised, and a new grid may begin
    origin_ = time();
    now_ = 0;
    choose_all_steps();
  }
  grid_.end = ticks_until(stop);
  target_ = stop;
}

template <DeviceType Device>
std::int64_t SimulationOn<Device>::ticks_until(double stop) const {
  if (std::isinf(stop)) return TimeGrid::never;
  const double ticks = (stop - origin_) / grid_.tick;
  if (ticks > 0x1p62) {
    throw SettingError("time", std::to_string(stop - origin_) +
                                   " is too long for steps as short as these particles need; "
                                   "advance by less");
  }
  const bool whole = std::abs(ticks - std::round(ticks)) <= 1e-9 * ticks;
  if (steps_.rule.mode == StepRule::Mode::fixed && !whole) {
    throw SettingError("time", "is no multiple of {dt}; choose another {dt}");
  }
  return std::max<std::int64_t>(now_ + 1, std::llround(ticks));
}

template <DeviceType Device>
SimulationState SimulationOn<Device>::state() {
  NamedState numbers;
  visit(numbers);
  return {.position = bodies_.position.downloaded(),
          .velocity = bodies_.velocity.downloaded(),
          .acceleration = bodies_.acceleration.downloaded(),
          .level = bodies_.level.downloaded(),
          .slot = bodies_.slot.downloaded(),
          .keys = solver_.keys().downloaded(),
          .first_energy = first_energy_.downloaded(),
          .now = now_,
          .end = grid_.end,
          .top = grid_.top,
          .step = step_,
          .synchronised = synchronised_,
          .numbers = numbers.numbers()};
}

template <DeviceType Device>
void SimulationOn<Device>::resume(const SimulationState& state) {
  const auto n = std::uint32_t(state.slot.size());
  bodies_.resize(n);
  bodies_.position.upload(state.position);
  bodies_.predicted.upload(state.position);
  bodies_.velocity.upload(state.velocity);
  bodies_.acceleration.upload(state.acceleration);
  bodies_.level.upload(state.level);
  bodies_.slot.upload(state.slot);
  targets_.resize(n);
  std::vector<float> masses(n);
  std::ranges::transform(state.position, masses.begin(), &Vec4::w);
  follow_field(masses);
  first_energy_.resize(state.first_energy.size());
  first_energy_.upload(state.first_energy);
  now_ = state.now;
  grid_ = {.tick = 0, .top = state.top, .end = state.end};
  step_ = state.step;
  synchronised_ = state.synchronised;
  NamedState numbers(state.numbers);
  visit(numbers);
  numbers.expect_all_visited();
  if (!(grid_.tick > 0 && std::isfinite(grid_.tick) && std::isfinite(origin_))) {
    throw StateError("its times are not those of a run");
  }
  typename Device::Timer timer(device_);
  solver_.restore(state.keys, timer, first_force_);
  timer.finish();
  Population::Counts counts{};
  for (const std::uint8_t level : state.level) ++counts.at(level);
  population_.move(0, counts);
}

template <DeviceType Device>
ForceOptions SimulationOn<Device>::force_options() const {
  ForceOptions options = solver_.options();
  options.group_size = solver_.chosen_group_size(bodies_.size());
  options.sharing = solver_.chosen_sharing(bodies_.size());
  options.root = solver_.root() == Root::newton ? RootChoice::newton : RootChoice::estimate;
  return options;
}

template <DeviceType Device>
StepLevels SimulationOn<Device>::levels() const {
  StepLevels levels;
  const Population::Counts& counts = population_.counts();
  for (std::size_t level = 0; level < counts.size(); ++level) {
    if (counts[level] > 0) levels.push_back({grid_.time(std::int64_t(1) << level), counts[level]});
  }
  return levels;
}

template <DeviceType Device>
void SimulationOn<Device>::save(Particles& particles, Forces& forces) {
  const std::uint32_t n = bodies_.size();
  predict(device_, bodies_, grid_, now_, now_);
  const auto position = bodies_.predicted.downloaded(), velocity = bodies_.velocity.downloaded(),
             acceleration = bodies_.acceleration.downloaded();
  const auto level = bodies_.level.downloaded();
  const auto slot = bodies_.slot.downloaded();
  forces.acceleration.resize(n);
  forces.potential.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t out = slot[i];
    const Vec4 r = position[i], v = velocity[i], a = acceleration[i];
    const float dt = float(grid_.time(now_ - TimeGrid::last(level[i], now_)));
    particles.position[out] = {r.x, r.y, r.z};
    particles.velocity[out] = {v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z};
    forces.acceleration[out] = {a.x, a.y, a.z};
    forces.potential[out] = a.w;
  }
}

}  // namespace gothic
