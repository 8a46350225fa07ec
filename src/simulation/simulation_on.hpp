#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "simulation/simulation.hpp"
#include "tuning/rebuild.hpp"

namespace gothic {

/// The simulation on one kind of device: what happens in a step, in order.
template <DeviceType Device>
class SimulationOn final : public Simulation {
 public:
  SimulationOn(Device device, const io::Snapshot& snapshot, const ForceOptions& force,
               const StepOptions& steps)
      : device_(std::move(device)),
        solver_(device_, force),
        steps_(steps),
        rebuild_(steps.rebuild_interval, Device::Defaults::build_cost),
        start_time_(snapshot.time) {
    upload(snapshot.particles);
    find_first_forces();
    start_clocks();
  }

  StepRecord step() override {
    typename Device::Timer whole(device_), timer(device_);
    StepRecord record;
    record.step = ++step_;
    const std::int64_t before = now_;
    now_ = next_due(device_, bodies_);
    predict(device_, bodies_, grid_, now_);
    record.predict = timer.lap();

    record.rebuilt = rebuild_.due(now_);
    if (record.rebuilt) rebuild(record.force);

    timer.lap();
    record.active = select_due(device_, bodies_, now_, targets_.data(), offset_.data());
    record.correct = timer.lap();
    evaluate(bodies_.predicted.data(), record.active, record.force);

    timer.lap();
    correct(device_, bodies_, grid_, now_, targets_.data(), record.active);
    schedule(device_, bodies_, grid_, steps_.rule, now_, targets_.data(), record.active);
    rebuild_.record(now_, double(record.active) / bodies_.size(),
                    double(record.force.interactions) / record.active);
    synchronised_ = record.active == bodies_.size();
    record.time = time();
    record.dt = grid_.time(now_ - before);
    set_levels(record);
    record.correct += timer.lap();
    record.total = whole.lap();
    return record;
  }

  double time() const override { return start_time_ + grid_.time(now_); }
  bool finished() const override { return now_ >= grid_.end; }
  bool synchronised() const override { return synchronised_; }
  Conserved conserved() override { return gothic::conserved(device_, bodies_); }

  void save(io::Snapshot& snapshot, io::Forces& forces) override;

  const ForceCost& first_force() const override { return first_force_; }
  double bootstrap_seconds() const override { return bootstrap_seconds_; }
  std::string device_name() const override { return device_.name(); }
  int threads() const override { return device_.threads(); }

 private:
  void upload(const io::Particles& particles);
  void find_first_forces();
  void start_clocks();
  std::int64_t end_ticks() const;

  /// Sorts the particles along the curve and builds their tree.
  void rebuild(ForceCost& cost) {
    solver_.sort(bodies_.predicted.data(), bodies_.size(), cost);
    typename Device::Timer timer(device_);
    permute(device_, bodies_, solver_.order());
    cost.sort += timer.lap();
    solver_.build(cost);
  }

  void evaluate(const Vec4* position, std::uint32_t active, ForceCost& cost) {
    solver_.evaluate(position, bodies_.acceleration.data(), targets_.data(), active,
                     bodies_.new_acceleration.data(), cost);
  }

  void set_levels(StepRecord& record) {
    if (finished()) {
      record.level_min = record.level_max = std::ilogb(record.dt);
      return;
    }
    const StepRange steps =
        step_range(device_, bodies_, grid_.largest, targets_.data(), record.active);
    record.level_min = std::ilogb(grid_.time(steps.shortest));
    record.level_max = std::ilogb(grid_.time(steps.longest));
  }

  Device device_;
  ForceSolver<Device> solver_;
  Bodies<Device> bodies_;
  typename Device::template Buffer<std::uint32_t> targets_, offset_;
  StepOptions steps_;
  RebuildPolicy rebuild_;
  TimeGrid grid_;
  double start_time_;
  std::int64_t now_ = 0, step_ = 0;
  bool synchronised_ = true;
  ForceCost first_force_;
  double bootstrap_seconds_ = 0;
};

template <DeviceType Device>
void SimulationOn<Device>::upload(const io::Particles& particles) {
  const auto n = std::uint32_t(particles.size());
  bodies_.resize(n);
  targets_.resize(n);
  offset_.resize(n);
  std::vector<Vec4> host(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const io::Vec3& r = particles.position[i];
    host[i] = {r[0], r[1], r[2], particles.mass[i]};
  }
  bodies_.position.upload(host);
  bodies_.predicted.upload(host);
  for (std::uint32_t i = 0; i < n; ++i) {
    const io::Vec3& v = particles.velocity[i];
    host[i] = {v[0], v[1], v[2], 0};
  }
  bodies_.velocity.upload(host);
  start_bodies(device_, bodies_, targets_.data());
}

/// The acceleration criterion needs accelerations before there are any: those of a first force with
/// the opening angle.
template <DeviceType Device>
void SimulationOn<Device>::find_first_forces() {
  constexpr float bootstrap_angle = 0.7F;
  const Acceptance requested = solver_.options().acceptance;
  rebuild(first_force_);
  if (requested.mac == Mac::acceleration) {
    typename Device::Timer timer(device_);
    ForceCost cost;
    solver_.set_acceptance({Mac::opening, bootstrap_angle, requested.gravity});
    evaluate(bodies_.predicted.data(), bodies_.size(), cost);
    bodies_.acceleration.swap(bodies_.new_acceleration);
    solver_.set_acceptance(requested);
    bootstrap_seconds_ = timer.lap();
  }
  evaluate(bodies_.predicted.data(), bodies_.size(), first_force_);
  bodies_.acceleration.swap(bodies_.new_acceleration);
}

template <DeviceType Device>
void SimulationOn<Device>::start_clocks() {
  const std::uint32_t n = bodies_.size();
  if (steps_.rule.mode == StepRule::Mode::fixed) {
    grid_ = TimeGrid::fixed(steps_.fixed_step);
  } else {
    double longest = longest_step(device_, bodies_, steps_.rule);
    for (const double limit : {steps_.longest_step, steps_.end_time}) {
      if (limit > 0) longest = std::min(longest, limit);
    }
    grid_ = TimeGrid::adaptive(longest);
  }
  if (steps_.end_time > 0) {
    grid_.end = end_ticks();
  }
  schedule(device_, bodies_, grid_, steps_.rule, now_, targets_.data(), n);
}

template <DeviceType Device>
std::int64_t SimulationOn<Device>::end_ticks() const {
  const double ticks = steps_.end_time / grid_.tick;
  if (ticks > 0x1p62) {
    throw InputError("--time: " + std::to_string(steps_.end_time) +
                     " is too long for steps as short as these particles need; advance by less");
  }
  const bool whole = std::abs(ticks - std::round(ticks)) <= 1e-9 * ticks;
  if (steps_.rule.mode == StepRule::Mode::fixed && !whole) {
    throw InputError("--time: is no multiple of --dt; choose another --dt");
  }
  return std::max<std::int64_t>(1, std::llround(ticks));
}

template <DeviceType Device>
void SimulationOn<Device>::save(io::Snapshot& snapshot, io::Forces& forces) {
  const std::uint32_t n = bodies_.size();
  predict(device_, bodies_, grid_, now_);
  std::vector<Vec4> position(n), velocity(n), acceleration(n);
  std::vector<Clock> clock(n);
  std::vector<std::uint32_t> slot(n);
  bodies_.predicted.download(position);
  bodies_.velocity.download(velocity);
  bodies_.acceleration.download(acceleration);
  bodies_.clock.download(clock);
  bodies_.slot.download(slot);
  snapshot.time = time();
  forces.acceleration.resize(n);
  forces.potential.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t out = slot[i];
    const Vec4 r = position[i], v = velocity[i], a = acceleration[i];
    const float dt = float(grid_.time(now_ - clock[i].last));
    snapshot.particles.position[out] = {r.x, r.y, r.z};
    snapshot.particles.velocity[out] = {v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z};
    forces.acceleration[out] = {a.x, a.y, a.z};
    forces.potential[out] = a.w;
  }
}

}  // namespace gothic
