#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/engine/error_watch.hpp"
#include "core/engine/force_solver.hpp"
#include "core/engine/set_up.hpp"
#include "core/engine/simulation.hpp"
#include "core/engine/state_pieces.hpp"
#include "core/messages/one_rank.hpp"
#include "core/messages/slices.hpp"
#include "core/observers/device_observers.hpp"
#include "core/setting_error.hpp"

namespace gothic {

/// The simulation on one kind of device: what happens in a step, in order.
template <DeviceType Device>
class SimulationOn final : public Simulation {
 public:
  /// \param particles of the own rank: those of the ranks follow one another in the input
  SimulationOn(Device device, const Particles& particles, double time, const ForceOptions& force,
               const StepOptions& steps, Communicator& ranks = one_rank())
      : SimulationOn(std::move(device), particles.size(), force, steps, ranks) {
    origin_ = time;
    upload(device_, particles, force, bodies_, std::uint32_t(input_.first));
    follow_field(particles.mass);
    if (!steps_.rule.has_masses) keep_energies(device_, bodies_, force.external, time);
    if (ranks_.size() > 1) bodies_.keep_costs(device_);
    choose_particles(particles);
    find_first_forces();
    start_clocks();
  }
  /// \param particles as at the start; their IDs and components count
  /// \param state to go on from
  SimulationOn(Device device, const Particles& particles, const SimulationState& state,
               const ForceOptions& force, const StepOptions& steps,
               Communicator& ranks = one_rank())
      : SimulationOn(std::move(device), state.input, force, steps, ranks) {
    choose_particles(particles);
    resume(state);
  }

  StepRecord step() override {
    const double messages_before = ranks_.seconds();
    typename Device::Timer timer(device_);
    StepRecord record;
    record.step = ++step_;
    const std::int64_t before = now_;
    const Population::Due due = population_.next(grid_, now_);
    now_ = due.time;
    record.active = due.particles;
    predict(device_, bodies_, grid_, before, now_);
    timer.lap(record.predict);

    record.rebuilt = rebuild_->due(kind_of_step(), [&] {
      const auto pairs = sampled_pairs(due);
      timer.lap(record.force.walk);
      return pairs;
    });
    if (record.rebuilt) build_trees(timer, record.force);

    const std::uint32_t active = last_active_ = select(due);
    timer.lap(record.correct);
    find_forces(active, !record.rebuilt, timer, record.force);

    const auto scheduled = advance(device_, bodies_, grid_, steps_.rule, before, now_,
                                   targets_.data(), active, ranks_);
    const auto counted = solver_.counted();
    timer.lap(record.correct);
    record.total = timer.finish();
    const Population::Counts chosen = scheduled.get();
    record.force.counts = counted.get();
    if (ranks_.size() > 1) {
      record.force.waiting = (ranks_.seconds() - messages_before) / ranks_.size();
      record.force.walk_mean = record.force.walk / ranks_.size();
    }

    const Population::Counts chosen_by_all = of_all(chosen);
    if (steps_.rule.together > 1) {
      count_levels();
      population_ = own_population_;
      record.active = active;
    } else {
      own_population_.move(due.levels, chosen);
      population_.move(due.levels, chosen_by_all);
    }
    record = combined(ranks_, record, StepRecord::together);
    const double pairs = equivalent_pairs(record.force);
    tune(record.force, pairs);
    synchronised_ = record.active == input_.all;
    record.time = time();
    record.dt = grid_.time(now_ - before);
    set_levels(chosen_by_all, record);
    record.sampled = errors_.due(step_, pairs);
    if (record.sampled) errors_.keep_error(stepped(), solver_, forest_);
    return record;
  }

  double time() const override {
    return finished() && target_ ? *target_ : origin_ + grid_.time(now_);
  }
  void stop_at(double stop) override;
  bool finished() const override { return now_ >= grid_.end; }
  bool synchronised() const override { return synchronised_; }
  Measurement measure(const std::string& observer) override {
    const auto& all = device_observers<Device>();
    const auto found = std::ranges::find(all, observer, &Observer::name);
    if (found != all.end()) return measure(*found);
    const auto& of_states = state_observers<Device>();
    const auto of_state = std::ranges::find(of_states, observer, &Observer::name);
    if (of_state != of_states.end()) return of_state->measure(present_state());
    const auto& of_samples = sample_observers();
    const auto of_sample = std::ranges::find(of_samples, observer, &Observer::name);
    if (of_sample != of_samples.end()) return of_sample->measure(force_sample());
    throw std::invalid_argument("there is no observer " + observer);
  }
  Measurement measure(const ObserverOf<ParticlesView<Device>>& observer) {
    return observer.measure(view());
  }

  const ForceSample& force_sample() override { return errors_.sample(stepped(), solver_, forest_); }

  StepLevels levels() const override;
  Diagnosis diagnosis() override {
    const StepRule rule = rule_of_host();
    const OneParticle shortest =
        combined(ranks_, shortest_step(view(), steps_.rule), ShorterStep{rule});
    return {shortest, step_of(shortest, rule), first_not_finite(view())};
  }

  void save(Particles& particles, Forces& forces) override;
  SimulationState state() override;

  SimulationFacts facts() const override;
  MemoryUse memory() const override { return {device_.used_memory(), device_.free_memory()}; }

 private:
  SimulationOn(Device device, std::size_t particles, const ForceOptions& force,
               const StepOptions& steps, Communicator& ranks)
      : device_(std::move(device)),
        ranks_(ranks),
        input_(slices_of(ranks, particles)),
        forest_(device_, ranks),
        solver_(device_, force),
        errors_(device_, ranks, force, steps.error_interval),
        steps_(steps) {
    steps_.rule.softening = force.softening;
    rebuild_ = make_rebuild_policy(input_.all);
  }

  const ExternalField& external() const { return solver_.settings().options().external; }

  ParticlesView<Device> view() {
    auto particles = view_of(device_, bodies_, ranks_);
    particles.external = external();
    particles.step = step_;
    particles.time = time();
    return particles;
  }

  /// The particles, predicted to the present time.
  StateView<Device> present_state() {
    predict(device_, bodies_, grid_, now_, now_);
    return {.device = device_,
            .size = bodies_.size(),
            .position = bodies_.predicted.data(),
            .slot = bodies_.slot.data(),
            .component = bodies_.component.data(),
            .components = components_,
            .step = step_,
            .time = time(),
            .ranks = ranks_};
  }

  /// Learns which particles there are, and chooses those that tell the errors of the forces.
  void choose_particles(const Particles& particles) {
    errors_.choose_particles(particles, input_.first);
    for (const auto& component : errors_.components()) components_.push_back(component.number);
  }

  /// Domains, and a tree in each, which are expected to serve for as long as the trees before.
  void build_trees(typename Device::Timer& timer, ForceCost& cost) {
    const double present = grid_.time(now_);
    forest_.grow(bodies_.particles, {bodies_.predicted, bodies_.softening, bodies_.cost},
                 present - built_, solver_.settings().options(), timer, cost);
    built_ = present;
    targets_.resize(bodies_.size());
    if (ranks_.size() > 1) count_levels();
  }

  /// Lists the particles that are due as targets. Returns how many.
  std::uint32_t select(const Population::Due& due) {
    const std::uint32_t together = steps_.rule.together;
    if (together > 1) {
      return select_due_together(device_, bodies_, due.levels, together, due_groups_,
                                 targets_.data());
    }
    select_due(device_, bodies_, due.levels, targets_.data());
    return own_population_.particles(due.levels);
  }

  /// Pairs of the coming step with the present tree over the number of particles, from a sample of
  /// its targets; nothing where these are few.
  std::optional<double> sampled_pairs(const Population::Due& due) {
    constexpr std::uint32_t sampled = 4096, least_targets = 64 * sampled;
    if (due.particles < least_targets) return {};
    const std::uint32_t active = select(due), stride = active / sampled + 1,
                        count = (active + stride - 1) / stride;
    sample_.resize(count);
    copy_every(device_, targets_.data(), stride, count, sample_.data());
    typename Device::Timer timer(device_);
    ForceCost cost;
    solver_.find_some(forest_, present(true), {sample_.data(), count}, active,
                      bodies_.new_acceleration.data(), timer, cost);
    cost.counts = solver_.counted().get();
    timer.finish();
    const double pairs = count > 0 ? equivalent_pairs(cost) * active / count : 0;
    return combined(ranks_, pairs, std::plus<>()) / double(input_.all);
  }

  /// Of the particles that the own rank has now.
  void count_levels() {
    own_population_ = {};
    own_population_.move(0, particles_by_level(device_, bodies_));
  }

  /// Numbers of particles of all ranks together.
  Population::Counts of_all(const Population::Counts& own) {
    return combined(ranks_, own, [](Population::Counts a, const Population::Counts& b) {
      for (std::size_t level = 0; level < a.size(); ++level) a[level] += b[level];
      return a;
    });
  }

  /// The rule with the host's copy of the field.
  StepRule rule_of_host() const {
    StepRule rule = steps_.rule;
    if (rule.field != nullptr) rule.field = &external();
    return rule;
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
    all("errors", errors_);
    if (auto* const variation = solver_.variation()) all("variation", *variation);
    OutlineMargin unused;  // a state of several ranks may go on on one
    auto* const trees = forest_.exchanged();
    if (trees != nullptr || all.restores()) {
      all("margin", trees != nullptr ? trees->margin() : unused)("built", built_);
    }
  }

  /// Time in ticks that stands for the kind of the present step (see StepCosts). At the end of the
  /// grid all particles are active, whatever the number of ticks, so the longest step stands for
  /// it.
  std::int64_t kind_of_step() const {
    return now_ == grid_.end ? std::int64_t(1) << grid_.top : now_;
  }

  static double equivalent_pairs(const ForceCost& cost) {
    return cost.counts.template equivalent_pairs<typename Device::Defaults>();
  }

  /// Learns from what the step cost.
  void tune(const ForceCost& cost, double pairs) {
    rebuild_->record(kind_of_step(),
                     {pairs / double(input_.all), cost.walk, cost.keys + cost.sort + cost.build});
    if (auto* const variation = solver_.variation()) {
      variation->record(kind_of_step(), rebuild_->age(), cost.groups + cost.walk);
    }
  }

  /// \param moved whether the particles have moved since their tree was built
  Instant<Device> present(bool moved) {
    return {.time = time(),
            .moved = moved,
            .position = bodies_.predicted,
            .old_acceleration = bodies_.acceleration.data(),
            .velocity = bodies_.velocity.data()};
  }
  SteppedBodies<Device> stepped() {
    return {bodies_, grid_, now_, step_, synchronised_, last_active_, present(rebuild_->age() > 1)};
  }
  ForceTargets first_targets(std::uint32_t count) const {
    return {targets_.data(), count, bodies_.cost != nullptr ? bodies_.cost->data() : nullptr};
  }
  /// New accelerations of the first `active` targets.
  void find_forces(std::uint32_t active, bool moved, typename Device::Timer& timer,
                   ForceCost& cost) {
    solver_.find(forest_, present(moved), first_targets(active), bodies_.new_acceleration.data(),
                 timer, cost);
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
  Communicator& ranks_;
  Slices input_;                          ///< which particles of the input each rank has
  std::vector<std::int32_t> components_;  ///< numbers of those of all ranks, ascending
  Forest<Device> forest_;
  ForceSolver<Device> solver_;
  ErrorWatch<Device> errors_;
  Bodies<Device> bodies_;
  typename Device::template Buffer<std::uint32_t> targets_;
  typename Device::template Buffer<std::uint32_t> due_groups_, sample_;  ///< scratch
  typename Device::template Buffer<ExternalField> field_;                ///< of the rule of steps
  StepOptions steps_;
  std::unique_ptr<RebuildPolicy> rebuild_;
  TimeGrid grid_;
  Population population_, own_population_;  ///< of all ranks, and of the own one
  double origin_ = 0;                       ///< time at which the grid begins
  std::optional<double> target_;            ///< time at which the grid ends
  std::int64_t now_ = 0, step_ = 0;
  std::uint32_t last_active_ = 0;  ///< of the own rank in the last step
  double built_ = 0;               ///< time of the grid at which the ranks built their trees
  bool synchronised_ = true;
  ForceCost first_force_;
  double bootstrap_seconds_ = 0;
};

/// Tells the rule of steps which particles there are, and of the field if some have no mass.
template <DeviceType Device>
void SimulationOn<Device>::follow_field(const std::vector<float>& masses) {
  const auto has_mass = [](float mass) { return mass > 0; };
  const auto either = [](int a, int b) { return a | b; };
  steps_.rule.has_masses = combined(ranks_, int(std::ranges::any_of(masses, has_mass)), either);
  const int has_tracers = combined(ranks_, int(!std::ranges::all_of(masses, has_mass)), either);
  const ExternalField& field = external();
  if (field.count == 0 || has_tracers == 0) return;
  field_.resize(1);
  field_.upload(std::span(&field, 1));
  steps_.rule.field = field_.data();
}

template <DeviceType Device>
void SimulationOn<Device>::find_first_forces() {
  typename Device::Timer timer(device_);
  build_trees(timer, first_force_);
  list_all(device_, targets_.data(), bodies_.size());
  SteppedBodies<Device> start = stepped();
  const ForceTargets targets = first_targets(bodies_.size());
  Vec4 *const old = bodies_.acceleration.data(), *const found = bodies_.new_acceleration.data();
  bootstrap_seconds_ = solver_.scale(forest_, start.instant, targets, old, found, timer);
  if (errors_.asks_for_error()) {
    errors_.choose(start, solver_, forest_, targets);
    timer.skip();
  }
  solver_.find_first(forest_, start.instant, targets, old, found, timer, first_force_);
  bodies_.acceleration.swap(bodies_.new_acceleration);
  const auto counted = solver_.counted();
  timer.finish();
  first_force_.counts = counted.get();
  if (auto* const variation = solver_.variation()) {
    variation->begin(device_, solver_.last_groups());
  }
}

template <DeviceType Device>
void SimulationOn<Device>::start_clocks() {
  if (steps_.rule.mode == StepRule::Mode::fixed) {
    grid_ = TimeGrid::fixed(steps_.fixed_step);
  } else {
    double longest = longest_step(device_, bodies_, steps_.rule, ranks_);
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
  list_all(device_, targets_.data(), bodies_.size());
  population_ = own_population_ = {};
  own_population_.move(0, schedule(device_, bodies_, grid_, steps_.rule, now_, targets_.data(),
                                   bodies_.size(), ranks_)
                              .get());
  population_.move(0, of_all(own_population_.counts()));
}

template <DeviceType Device>
void SimulationOn<Device>::stop_at(double stop) {
  if (finished()) {  // all particles are synchronised, and a new grid may begin
    origin_ = time();
    built_ -= grid_.time(now_);
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
    throw SettingError("time",
                       "is too long for steps as short as these particles need; advance by less");
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
  return {.fields = bodies_.particles.stored(),
          .keys = forest_.keys().downloaded(),
          .input = input_.own,
          .opened = forest_.exchanged() != nullptr ? forest_.exchanged()->opened() : OpenedCells(),
          .now = now_,
          .end = grid_.end,
          .top = grid_.top,
          .step = step_,
          .synchronised = synchronised_,
          .numbers = numbers.numbers()};
}

template <DeviceType Device>
void SimulationOn<Device>::resume(const SimulationState& state) {
  bodies_.particles.resize(std::uint32_t(state.keys.size()));
  targets_.resize(bodies_.size());
  if (ranks_.size() > 1) bodies_.keep_costs(device_);
  const auto is_energy = [](const StoredField& field) { return field.name == "FirstEnergy"; };
  if (std::ranges::any_of(state.fields, is_energy)) bodies_.add_energies();
  if (!solver_.settings().options().component_softening.empty()) bodies_.add_softening();
  bodies_.particles.restore(state.fields);
  copy(device_, bodies_.position.data(), bodies_.size(), bodies_.predicted.data());
  std::vector<float> masses(bodies_.size());
  std::ranges::transform(bodies_.position.downloaded(), masses.begin(), &Vec4::w);
  follow_field(masses);
  now_ = state.now;
  grid_ = {.tick = 0, .top = state.top, .end = state.end};
  step_ = state.step;
  synchronised_ = state.synchronised;
  NamedState numbers(state.numbers);
  visit(numbers);
  numbers.expect_all_visited();
  errors_.take_choice(solver_);
  if (!(grid_.tick > 0 && std::isfinite(grid_.tick) && std::isfinite(origin_))) {
    throw StateError("its times are not those of a run");
  }
  const auto is_no_level = [](std::uint8_t level) { return level >= Population::levels; };
  if (std::ranges::any_of(bodies_.level.downloaded(), is_no_level)) {
    throw StateError("its levels are not those of a run", "Level");
  }
  std::vector<bool> taken(input_.all);
  const auto is_no_place = [&](std::uint32_t slot) {
    if (slot >= taken.size() || taken[slot]) return true;
    taken[slot] = true;
    return false;
  };
  if (std::ranges::any_of(bodies_.slot.downloaded(), is_no_place)) {
    throw StateError("its places in the input are not those of a run", "Slot");
  }
  typename Device::Timer timer(device_);
  forest_.restore(state.keys, {bodies_.position, bodies_.softening}, solver_.settings().options(),
                  timer, first_force_);
  const bool same_ranks = ranks_.size() > 1 && !state.opened.counts.empty();
  if (same_ranks) forest_.restore_others(state.opened, solver_.settings().acceptance());
  timer.finish();
  count_levels();
  population_.move(0, of_all(own_population_.counts()));
}

template <DeviceType Device>
SimulationFacts SimulationOn<Device>::facts() const {
  const ForceSettings<Device>& settings = solver_.settings();
  ForceOptions force = settings.options();
  force.group_size = settings.group_size(bodies_.size());
  force.sharing = settings.sharing(bodies_.size());
  force.root = settings.root() == Root::newton ? RootChoice::newton : RootChoice::estimate;
  return {.device = device_.identity(),
          .threads = device_.threads(),
          .blocks = device_.block_sizes(),
          .force = force,
          .shortest_countable = steps_.rule.mode == StepRule::Mode::fixed ? 0 : grid_.tick,
          .first_force = first_force_,
          .bootstrap_seconds = bootstrap_seconds_};
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
  constexpr std::size_t pieces = 16;  // one after the other, so that the device needs room for one
  predict(device_, bodies_, grid_, now_, now_);
  std::uint32_t* const order = targets_.data();
  if (ranks_.size() == 1) {
    invert(device_, bodies_.slot.data(), bodies_.size(), order);  // the order of the input
  } else {
    list_all(device_, order, bodies_.size());
  }
  forces.acceleration.resize(input_.own);
  forces.potential.resize(input_.own);
  StatePieces<Device> saved(device_, bodies_, grid_, now_);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = bodies_.size() * piece / pieces,
                      count = bodies_.size() * (piece + 1) / pieces - first;
    saved.gather(order + first, count);
    if (ranks_.size() == 1) {
      saved.download(particles, forces, first);
    } else {
      saved.send_to_owners(ranks_, input_, particles, forces);
    }
  }
}

}  // namespace gothic
