#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/device/combine.hpp"
#include "core/device/device.hpp"
#include "core/engine/force_settings.hpp"
#include "core/engine/forest.hpp"
#include "core/gravity/external_field.hpp"
#include "core/gravity/variation.hpp"
#include "core/gravity/walk.hpp"
#include "core/tree/groups.hpp"

namespace gothic {

/// Particles that want a force.
struct ForceTargets {
  const std::uint32_t* places;  ///< [count] in the order of the tree
  std::uint32_t count;
  float* cost = nullptr;  ///< [n] costs of all particles, to which the pairs of each are added
};

/// Adds to the cost of every target the pairs that a walk summed for it: the mean over its group or
/// bundle. Parts of groups that were split do not count.
/// \param counts of the walk; see WalkData
/// \param cost [n] costs of all particles
template <DeviceType Device>
void add_costs(const Device& device, const GroupsOfTargets& groups, const WalkCount* counts,
               float* cost) {
  using Defaults = typename Device::Defaults;
  constexpr std::uint32_t bundle = Defaults::bundle_size;
  const std::uint32_t all = groups.group_count;
  const std::uint32_t* const places = groups.targets;
  const Range* const ranges = groups.groups;
  device.for_each(all, [=] GOTHIC_DEVICE(std::size_t g) {
    const std::uint32_t first = std::uint32_t(g) / bundle * bundle;
    const std::uint32_t last = first + bundle < all ? first + bundle : all;
    const std::uint32_t members =
        ranges[last - 1].first + ranges[last - 1].count - ranges[first].first;
    const double pairs = counts[g / bundle].template equivalent_pairs<Defaults>();
    const float mean = float(pairs / members);
    const Range own = ranges[g];
    for (std::uint32_t k = own.first; k < own.first + own.count; ++k) cost[places[k]] += mean;
  });
}

/// Finds forces in a forest. It keeps what walks need from one to the next: settings, groups and
/// scratch.
template <DeviceType Device>
class ForceSolver {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;
  using Timer = typename Device::Timer;
  using Defaults = typename Device::Defaults;

  /// Throws SettingError where options contradict each other or the device.
  ForceSolver(Device& device, const ForceOptions& options)
      : device_(device), settings_(device, options), variation_(made(options)) {}

  const ForceSettings<Device>& settings() const { return settings_; }
  /// Takes other options for the coming forces. Throws as the constructor does, and takes nothing
  /// then.
  void set(const ForceOptions& options) {
    const bool varies = options.variation != settings_.options().variation;
    settings_ = ForceSettings<Device>(device_, options);
    if (varies) variation_ = made(options);
  }

  /// Null for the usual way to find forces.
  Variation<Device>* variation() { return variation_.get(); }
  /// The groups that the last force was found for.
  const GroupsOfTargets& last_groups() const { return last_groups_; }

  /// Finds accelerations and potentials of the targets, due to the particles and the external
  /// field.
  /// \param acceleration [n] result, for the targets
  /// \param timer which has a lap for each stage; `cost` gets the seconds when the timer is read
  /// \param cost to which everything but the counts of pairs is added; see counted()
  void find(Forest<Device>& forest, const Instant<Device>& now, const ForceTargets& targets,
            Vec4* acceleration, Timer& timer, ForceCost& cost) {
    find(forest, now, targets, settings_, acceleration, timer, cost);
  }

  /// Finds forces on a few targets that are far from each other, as exact as the targets get them
  /// in a force on `count` particles.
  void find_some(Forest<Device>& forest, const Instant<Device>& now, const ForceTargets& targets,
                 std::uint32_t count, Vec4* acceleration, Timer& timer, ForceCost& cost) {
    find(forest, now, targets, settings_.of_single_particles(count), acceleration, timer, cost);
  }

  /// Finds the accelerations that a relative criterion needs for the first force, roughly: one for
  /// some targets that follow one another, by an opening angle. Each target gets the weakest of its
  /// own and the two beside it, less a margin.
  /// \param now whose moments are known afterwards, if a force was found
  /// \param acceleration [n] result, for the targets; other particles keep theirs
  /// \param scratch [n] overwritten
  /// \returns the seconds of this force
  double scale(Forest<Device>& forest, Instant<Device>& now, const ForceTargets& targets,
               Vec4* acceleration, Vec4* scratch, Timer& timer) {
    constexpr float angle = 0.7F, margin = 0.9F;
    constexpr std::uint32_t most_together = 256, least_found = 1024;
    const Acceptance& wanted = settings_.acceptance();
    if (!is_relative(wanted.mac)) return 0;
    const std::uint32_t* const places = targets.places;
    const std::uint32_t count = targets.count,
                        together = std::clamp(count / least_found, 1U, most_together),
                        found = (count + together - 1) / together;
    chosen_.resize(found);
    std::uint32_t* const middle = chosen_.data();
    device_.for_each(found, [=] GOTHIC_DEVICE(std::size_t k) {
      const std::size_t at = k * together + together / 2;
      middle[k] = places[at < count ? at : count - 1];
    });
    ForceCost cost;
    find(forest, now, {middle, found},
         settings_.for_scattered(
             {Mac::opening, angle, wanted.gravity, wanted.order, wanted.has_bounds}),
         scratch, timer, cost);
    now.seen = true;
    device_.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) {
      const std::size_t own = k / together, first = own > 0 ? own - 1 : 0,
                        last = own + 1 < found ? own + 1 : own;
      Vec4 weakest = scratch[middle[first]];
      for (std::size_t j = first + 1; j <= last; ++j) {
        const Vec4 a = scratch[middle[j]];
        if (squared_length(a) < squared_length(weakest)) weakest = a;
      }
      acceleration[places[k]] = {margin * weakest.x, margin * weakest.y, margin * weakest.z,
                                 weakest.w};
    });
    timer.lap(cost.walk);
    timer.finish();
    return cost.groups + cost.moments + cost.walk + cost.exchange;
  }

  /// Finds the first forces, for which there is a scale() in place of the last accelerations. Where
  /// that was too large, and so the criterion too loose, forces are found again.
  /// \param old [n] the scale, as `now` has it; overwritten
  void find_first(Forest<Device>& forest, const Instant<Device>& now, const ForceTargets& targets,
                  Vec4* old, Vec4* acceleration, Timer& timer, ForceCost& cost) {
    constexpr float largest = 1 / 0.7F;
    find(forest, now, targets, acceleration, timer, cost);
    if (!is_relative(settings_.acceptance().mac) || variation_) return;
    const std::uint32_t* const places = targets.places;
    list_chosen(
        device_, targets.count,
        [=] GOTHIC_DEVICE(std::uint32_t k) {
          const std::uint32_t i = places[k];
          return squared_length(old[i]) > largest * largest * squared_length(acceleration[i]);
        },
        chosen_);
    const auto count = std::uint32_t(chosen_.size());
    std::uint32_t* const again = chosen_.data();
    device_.for_each(count, [=] GOTHIC_DEVICE(std::size_t k) {
      again[k] = places[again[k]];
      old[again[k]] = acceleration[again[k]];
    });
    timer.lap(cost.groups);
    if (combined(forest.ranks(), count, std::plus<>()) == 0) return;
    walk_and_mend(forest, now, {again, count}, settings_, acceleration, timer, cost);
  }

  /// What the walks of the last force counted.
  typename Device::template Later<WalkCount> counted() const {
    const WalkCount* const counts = counts_.data();
    return device_.start_reduce(
        counts_.size(), WalkCount{}, [=] GOTHIC_DEVICE(std::size_t i) { return counts[i]; }, Sum{});
  }

 private:
  std::unique_ptr<Variation<Device>> made(const ForceOptions& options) const {
    return options.variation ? options.variation->make(device_) : nullptr;
  }

  /// Targets that walk together.
  struct Walkers {
    const std::uint32_t* places;
    std::uint32_t count, group_size;
    bool with_neighbours;  ///< whether the neighbours of a group count for it
  };

  void find(Forest<Device>& forest, const Instant<Device>& now, const ForceTargets& targets,
            const ForceSettings<Device>& settings, Vec4* acceleration, Timer& timer,
            ForceCost& cost) {
    forest.refresh(now, settings, timer, cost, variation_.get());
    counts_.resize(0);
    walk_and_mend(forest, now, targets, settings, acceleration, timer, cost);
  }

  void walk_and_mend(Forest<Device>& forest, const Instant<Device>& now,
                     const ForceTargets& targets, const ForceSettings<Device>& settings,
                     Vec4* acceleration, Timer& timer, ForceCost& cost) {
    const Walkers all{targets.places, targets.count, settings.group_size(targets.count), true};
    walk_for(forest, now, all, settings, acceleration, timer, cost);
    if (targets.cost != nullptr) add_costs(device_, last_groups_, counts_.data(), targets.cost);
    if (forest.has_others()) {
      mend(forest, now, all, settings, acceleration, timer, cost);
      timer.lap(cost.exchange);
    }
    add_field<float>(device_, settings.options().external, now.time, now.position.data(),
                     targets.places, targets.count, acceleration);
    timer.lap(cost.walk);
  }

  void walk_for(const Forest<Device>& forest, const Instant<Device>& now, const Walkers& walkers,
                const ForceSettings<Device>& settings, Vec4* acceleration, Timer& timer,
                ForceCost& cost);
  void mend(Forest<Device>& forest, const Instant<Device>& now, const Walkers& all,
            const ForceSettings<Device>& settings, Vec4* acceleration, Timer& timer,
            ForceCost& cost);

  Device& device_;
  ForceSettings<Device> settings_;
  std::unique_ptr<Variation<Device>> variation_;
  Groups<Device> groups_;
  GroupsOfTargets last_groups_{};
  Buffer<WalkCount> counts_;       ///< of the walks of the last force, one after the other
  Buffer<Range> parts_;            ///< of groups that are split
  Buffer<std::uint32_t> lacking_;  ///< targets that lack a part of another rank's tree
  Buffer<std::uint32_t> chosen_;   ///< some of the targets of the first force
};

template <DeviceType Device>
void ForceSolver<Device>::walk_for(const Forest<Device>& forest, const Instant<Device>& now,
                                   const Walkers& walkers, const ForceSettings<Device>& settings,
                                   Vec4* acceleration, Timer& timer, ForceCost& cost) {
  const ForceOptions& options = settings.options();
  const auto [places, count, group_size, with_neighbours] = walkers;
  const Vec4* const position = now.position.data();
  if (variation_) {
    variation_->make_groups(device_, groups_, position, places, count, group_size);
  } else {
    make_groups(device_, groups_, count, group_size);
  }
  const std::size_t before = counts_.size();
  if (Defaults::bundle_size == 1 || variation_) {
    counts_.resize(before + groups_.count + 1);
    parts_.resize(2 * std::size_t(count));
  } else {
    counts_.resize(before + bundle_count<Defaults::bundle_size>(groups_.count));
  }
  if (variation_) fill(device_, counts_.data() + before, groups_.count + 1, WalkCount{});
  cost.group_count += groups_.count;
  last_groups_ = {.position = position,
                  .targets = places,
                  .groups = groups_.ranges.data(),
                  .group_count = groups_.count,
                  .group_size = group_size,
                  .neighbours = with_neighbours
                                    ? settings.neighbours(group_size, forest.particles())
                                    : Neighbourhood{}};
  const Vec4* const balls = variation_ ? variation_->make_balls(device_, last_groups_) : nullptr;
  cost.sharing = settings.sharing_of(group_size);
  cost.group_extent = variation_ ? variation_->extent() : 0;
  timer.lap(cost.groups);

  const Tree<Device>& tree = forest.tree();
  const WalkData data{.tree = tree.view(),
                      .position = position,
                      .old_acceleration = now.old_acceleration,
                      .targets = places,
                      .groups = groups_.ranges.data(),
                      .group_count = groups_.count,
                      .balls = balls,
                      .acceleration = acceleration,
                      .counts = counts_.data() + before,
                      .acceptance = settings.acceptance(),
                      .softening = float(options.softening),
                      .has_external = options.external.count > 0,
                      .group_size = group_size,
                      .neighbours = last_groups_.neighbours,
                      .list_capacity = options.list_capacity,
                      .split_ratio = options.split_ratio,
                      .deepest_cell = tree.level[tree.levels() - 1],
                      .parts = parts_.data()};
  const bool is_done = variation_ && variation_->walk(device_, settings.root(), tree, data);
  if (!is_done && tree.lengths == Lengths::own) {
    walk<Lengths::own>(device_, settings.root(), data);
  } else if (!is_done) {
    walk<Lengths::equal>(device_, settings.root(), data);
  }
  timer.lap(cost.walk);
}

/// Finds the forces again for which a part of another rank's tree was missing: for each target
/// alone, since a wide group may open cells that none of its particles would. If that is not enough
/// on some rank, all ranks renew the essential trees first.
template <DeviceType Device>
void ForceSolver<Device>::mend(Forest<Device>& forest, const Instant<Device>& now,
                               const Walkers& all, const ForceSettings<Device>& settings,
                               Vec4* acceleration, Timer& timer, ForceCost& cost) {
  std::uint32_t lacking = list_lacking(device_, acceleration, all.places, all.count, lacking_);
  const Walkers alone{lacking_.data(), lacking, 1, false};
  const auto walk_alone = [&] {
    if (lacking == 0) return;
    walk_for(forest, now, alone, settings, acceleration, timer, cost);
    cost.walked_alone += lacking;
  };
  walk_alone();
  const std::uint32_t left =
      lacking > 0 ? count_lacking(device_, acceleration, alone.places, lacking) : 0;
  if (!forest.renew_others(left, now, settings)) return;
  ++cost.renewed;
  walk_alone();  // a force that is still NaN has another cause
}

}  // namespace gothic
