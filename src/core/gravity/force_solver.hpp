#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/device/device.hpp"
#include "core/device/group_step.hpp"
#include "core/gravity/acceptance.hpp"
#include "core/gravity/external_field.hpp"
#include "core/gravity/force_options.hpp"
#include "core/gravity/group_balls.hpp"
#include "core/gravity/walk.hpp"
#include "core/setting_error.hpp"
#include "core/tree/groups.hpp"
#include "core/tree/moments.hpp"
#include "core/tree/particle_keys.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// Whether the root may have relative errors up to `root_error`. Their mean is taken out. The rest
/// averages over the pairs of a force, to root_error / 40 where there are many (NFW, 2^17
/// particles) and to about root_error for the worst percent where few near pairs dominate (Plummer,
/// 4096). The bounds keep even that at or below the 99 % force error of the criterion.
inline bool estimate_allowed(const Acceptance& acceptance, double root_error) {
  const double accuracy = acceptance.accuracy;
  if (acceptance.mac == Mac::opening) return accuracy * accuracy * accuracy >= 40 * root_error;
  return accuracy >= root_error / 2.5;
}

/// Tree forces on one device. The caller owns the particles and keeps them in the solver's order.
template <DeviceType Device>
class ForceSolver {
 public:
  using Key = std::uint64_t;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;
  using Warp = typename Device::Warp;
  using Timer = typename Device::Timer;
  using Defaults = typename Device::Defaults;

  /// Throws SettingError where the estimate of the root is asked for and the accuracy is too high, or
  /// sizes contradict each other or the device.
  ForceSolver(Device& device, const ForceOptions& options) : device_(device), options_(options) {
    const bool allowed = estimate_allowed(options.acceptance, Warp::root_error);
    if (options.root == RootChoice::estimate && !allowed) {
      throw SettingError("root",
                         "the estimate's error is too large for the requested {accuracy}; use "
                         "{root} newton or a larger {accuracy}",
                         "estimate");
    }
    if (options_.leaf_capacity == 0) options_.leaf_capacity = Defaults::leaf_capacity;
    set_list_capacity(options.list_capacity);
    set_group_size(options.group_size, options.sharing);
    root_ = allowed && options.root != RootChoice::newton ? Root::estimate : Root::newton;
  }

  const ForceOptions& options() const { return options_; }
  void set_acceptance(const Acceptance& acceptance) { options_.acceptance = acceptance; }
  /// r_crit from the next force on.
  void set_group_extent(float extent) { options_.group_extent = extent; }
  /// Of the groups that the last force was found for. \param position, targets those of that force
  GroupExtents group_extents(const Vec4* position, const std::uint32_t* targets) const {
    return gothic::group_extents(device_, groups_, position, targets);
  }
  /// Of the trees that are built from now on; above 0.
  void set_leaf_capacity(std::uint32_t capacity) { options_.leaf_capacity = capacity; }
  /// Takes what ForceOptions says of these, and refuses it likewise.
  void set_list_capacity(std::uint32_t capacity);
  void set_group_size(std::uint32_t size, int sharing = 0);
  /// Gives the coming forces groups of another size without making them less exact: neighbours
  /// count where the groups are smaller than usual. 0: the solver chooses.
  void set_step_group_size(std::uint32_t size) { step_group_size_ = size; }
  void set_ball(Ball ball) { options_.ball = ball; }
  Root root() const { return root_; }
  const Tree<Device>& tree() const { return tree_; }

  /// Finds the order of the particles along the curve: particle order()[i] comes at place i. The
  /// caller moves its particles accordingly and then calls build().
  void sort(const Vec4* position, std::uint32_t n, Timer& timer, ForceCost& cost) {
    keys_.resize(n);
    order_.resize(n);
    make_keys(device_, position, n, options_.curve, keys_.data(), order_.data());
    lap(timer, cost.keys, cost.registers.keys);
    device_.sort_pairs(keys_, order_, tree::key_bits<Key>);
    lap(timer, cost.sort, cost.registers.sort);
  }
  const std::uint32_t* order() const { return order_.data(); }
  /// [n] of the particles that were sorted last, ascending.
  const Buffer<Key>& keys() const { return keys_; }

  /// Builds the tree of particles that were sorted before and had these keys.
  void restore(std::span<const Key> keys, Timer& timer, ForceCost& cost) {
    keys_.resize(keys.size());
    keys_.upload(keys);
    build(timer, cost);
  }

  /// Builds the tree of the particles that were sorted last.
  void build(Timer& timer, ForceCost& cost) {
    build_tree(device_, tree_, keys_.data(), std::uint32_t(keys_.size()), options_.leaf_capacity);
    lap(timer, cost.build, cost.registers.build);
  }

  /// Accelerations and potentials of the targets, of particles and external field.
  ///
  /// \param position [n] positions and masses at the present time, in the order of the tree
  /// \param old_acceleration [n] of the last time, for the acceleration criterion
  /// \param targets [count] particles that want a force, in the order of the tree
  /// \param acceleration [n] result, for the targets
  /// \param timer whose laps are those of the stages; `cost` gets their seconds when it is read
  void evaluate(const Vec4* position, const Vec4* old_acceleration, const std::uint32_t* targets,
                std::uint32_t count, Vec4* acceleration, Timer& timer, ForceCost& cost) {
    const std::uint32_t group_size = chosen_group_size(count);
    make_groups(device_, groups_, position, targets, count, group_size,
                std::min(group_size, std::uint32_t(Warp::width) / 2), options_.group_extent);
    counts_.resize(bundle_count<Defaults::bundle_size>(groups_.count));
    if constexpr (Defaults::bundle_size == 1) {
      part_counts_.resize(8);
      for (Buffer<Range>& parts : parts_) parts.resize(count);
    }
    cost.group_count += groups_.count;
    last_groups_ = {position,      targets,    groups_.ranges.data(),
                    groups_.count, group_size, neighbours(group_size)};
    if (options_.ball != Ball::geo) make_balls(options_.ball);
    cost.sharing = sharing_of(group_size);
    cost.group_extent = is_limit(options_.group_extent) ? options_.group_extent : 0;
    lap(timer, cost.groups, cost.registers.groups);

    update_moments(device_, tree_, position);
    update_acceptance(device_, tree_, options_.acceptance);
    lap(timer, cost.moments, cost.registers.moments);

    run_walk({.center = tree_.center.data(),
              .acceptance_radius = tree_.acceptance_radius.data(),
              .size = tree_.size.data(),
              .children = tree_.children.data(),
              .particles = tree_.particles.data(),
              .position = position,
              .old_acceleration = old_acceleration,
              .targets = targets,
              .groups = groups_.ranges.data(),
              .group_count = groups_.count,
              .balls = options_.ball != Ball::geo ? balls_.data() : nullptr,
              .acceleration = acceleration,
              .counts = counts_.data(),
              .acceptance = options_.acceptance,
              .softening2 = options_.softening * options_.softening,
              .group_size = group_size,
              .neighbours = last_groups_.neighbours,
              .list_capacity = options_.list_capacity,
              .split_ratio = options_.split_ratio,
              .parts = {parts_[0].data(), parts_[1].data()},
              .part_counts = part_counts_.data()});
    add_field(device_, options_.external, position, targets, count, acceleration);
    lap(timer, cost.walk, cost.registers.walk);
  }

  /// Makes the enclosing balls of the last evaluation's groups, whose particles are still there.
  const Buffer<Vec4>& make_balls(Ball kind) {
    balls_.resize(last_groups_.group_count);
    gothic::make_balls(device_, kind, last_groups_, balls_.data());
    return balls_;
  }

  /// Adds up what the last evaluation counted.
  void add_counts(ForceCost& cost) {
    const WalkCount* const counts = counts_.data();
    const WalkCount total = device_.reduce(
        counts_.size(), WalkCount{}, [=] GOTHIC_HD(std::size_t i) { return counts[i]; },
        [] GOTHIC_HD(const WalkCount& a, const WalkCount& b) {
          return WalkCount{a.interactions + b.interactions, a.cells_judged + b.cells_judged};
        });
    cost.interactions += total.interactions;
    cost.cells_judged += total.cells_judged;
  }

  /// Particles of a group where `count` particles are active: as many as is best for a warp, but
  /// less where warps would have fewer groups than is fair.
  std::uint32_t chosen_group_size(std::uint32_t count) const {
    if (step_group_size_ > 0) return step_group_size_;
    if (options_.group_size > 0) return options_.group_size;
    std::uint32_t size = 0;
    for (const GroupStep& step : Defaults::group_steps) {
      if (count >= step.active_per_warp * double(device_.warps())) size = step.size;
    }
    return size;
  }
  /// Lanes that share a particle of such a group.
  int chosen_sharing(std::uint32_t count) const { return sharing_of(chosen_group_size(count)); }
  static int sharing_of(std::uint32_t group_size) {
    return lanes_sharing<Warp, Warp::least_per_lane>(group_size);
  }

 private:
  void lap(Timer& timer, double& seconds, int& registers) {
    timer.lap(seconds);
    registers = device_.take_registers();
  }

  static constexpr std::uint32_t most_per_lane = Defaults::most_per_lane;

  std::uint32_t usual_group_size() const {
    return options_.group_size > 0 ? options_.group_size : Defaults::group_size;
  }
  Neighbourhood neighbours(std::uint32_t group_size) const {
    if (group_size >= usual_group_size()) return {};
    const int room = most_ball_registers - detail::registers_for<Warp>(group_size);
    return {std::uint32_t(keys_.size()),
            std::min(usual_group_size(), std::uint32_t(room * Warp::width))};
  }

  /// Calls the walk that is compiled for the group size and the root.
  void run_walk(const WalkData& data) {
    const auto with_root = [&]<int K>() {
      if (Warp::estimate_is_exact || root_ == Root::newton) {
        walk<K, Root::newton>(device_, data);
      } else if constexpr (!Warp::estimate_is_exact) {
        walk<K, Root::estimate>(device_, data);
      }
    };
    const auto fitting = [&]<int K>(const auto& self) {
      if constexpr (K < int(most_per_lane)) {
        if (data.group_size > std::uint32_t(K * Warp::width)) {
          return self.template operator()<2 * K>(self);
        }
      }
      with_root.template operator()<K>();
    };
    fitting.template operator()<Warp::least_per_lane>(fitting);
  }

  Device& device_;
  ForceOptions options_;
  std::uint32_t step_group_size_ = 0;  ///< 0: the solver chooses
  Root root_ = Root::newton;
  Tree<Device> tree_;
  Groups<Device> groups_;
  Buffer<Key> keys_;
  Buffer<std::uint32_t> order_;
  GroupsOfTargets last_groups_{};
  Buffer<Vec4> balls_;
  Buffer<WalkCount> counts_;           ///< of the last walk
  Buffer<Range> parts_[2];             ///< of groups that are split
  Buffer<std::uint32_t> part_counts_;  ///< how many, walk by walk
};

template <DeviceType Device>
void ForceSolver<Device>::set_list_capacity(std::uint32_t capacity) {
  options_.list_capacity = capacity > 0 ? capacity : Defaults::list_capacity;
  constexpr std::uint32_t least = Warp::width;
  const auto fits = [&](std::uint32_t size) {
    using Scratch = StackScratch<Warp>;
    return Defaults::bundle_size > 1 ||
           sizeof(Scratch) + Scratch::bytes_behind(size) <= device_.scratch_limit();
  };
  if (options_.list_capacity < least) {
    throw SettingError("list_capacity", "this device needs room for at least " +
                     std::to_string(least) + " sources; use more");
  }
  if (!fits(options_.list_capacity)) {
    throw SettingError("list_capacity", "the fast memory of a block has no room for " +
                     std::to_string(options_.list_capacity) +
                     " sources to a warp; use fewer, or a smaller {warp_threads}");
  }
}

template <DeviceType Device>
void ForceSolver<Device>::set_group_size(std::uint32_t size, int sharing) {
  constexpr std::uint32_t most = most_per_lane * Warp::width;
  if (size > most) {
    throw SettingError("group_size", "this device takes groups of at most " + std::to_string(most) +
                     " particles; use smaller ones");
  }
  if (sharing > Warp::most_sharing) {
    throw SettingError("sharing", "at most " + std::to_string(Warp::most_sharing) +
                     " lanes of this device may share a particle; use fewer");
  }
  if (size > 0 && sharing > 0 && sharing_of(size) != sharing) {
    throw SettingError("sharing", "groups of " + std::to_string(size) + " particles have " +
                     std::to_string(sharing_of(size)) +
                     " lanes to each on this device; leave out {sharing} or {group_size}");
  }
  if (size == 0 && sharing > 0) {
    const bool usual = sharing_of(Defaults::group_size) == sharing;
    size =
        usual ? Defaults::group_size : std::uint32_t(Warp::least_per_lane * Warp::width / sharing);
  }
  options_.group_size = size;
}

}  // namespace gothic
