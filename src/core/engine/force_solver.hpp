#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/device/device.hpp"
#include "core/device/launch_sizes.hpp"
#include "core/gravity/acceptance.hpp"
#include "core/gravity/external_field.hpp"
#include "core/gravity/force_options.hpp"
#include "core/gravity/grouping.hpp"
#include "core/gravity/stack_walk.hpp"
#include "core/gravity/walk.hpp"
#include "core/messages/one_rank.hpp"
#include "core/ranks/shared_trees.hpp"
#include "core/setting_error.hpp"
#include "core/tree/groups.hpp"
#include "core/tree/moments.hpp"
#include "core/tree/particle_keys.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// Whether the root of a pair may have relative errors up to `root_error`, their mean removed. The
/// force's error from them is root_error / 40 where many pairs contribute (NFW, 2^17 particles),
/// and about root_error for the worst percent where few near pairs dominate (Plummer, 4096). The
/// bounds keep both at or below the 99 % force error of the criterion.
inline bool estimate_allowed(const Acceptance& acceptance, double root_error) {
  const double accuracy = acceptance.accuracy;
  if (acceptance.mac == Mac::opening) return accuracy * accuracy * accuracy >= 40 * root_error;
  return accuracy >= root_error / 2.5;
}

/// What is known of the particles of one of several ranks.
struct OfRank {
  const Vec4* velocity = nullptr;  ///< [n] tells what they need of others before long
  float* cost = nullptr;           ///< [n] to which the pairs of each are added
};

/// Tree forces on one device. The caller owns the particles and keeps them in the solver's order.
template <DeviceType Device>
class ForceSolver {
 public:
  using Key = tree::Key;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;
  using Warp = typename Device::Warp;
  using Timer = typename Device::Timer;
  using Defaults = typename Device::Defaults;

  /// Throws SettingError where options contradict each other or the device.
  /// \param ranks that have other parts of the particles, if there are any
  ForceSolver(Device& device, const ForceOptions& options, Communicator& ranks = one_rank())
      : device_(device), ranks_(ranks) {
    if (ranks.size() > 1) {
      shared_ = std::make_unique<SharedTrees<Device>>(device, ranks);
      tell_cuts(ranks.rank() > 0, ranks.rank() + 1 < ranks.size());
    }
    set_options(options);
  }

  /// The options, with the device's defaults for sizes that were 0.
  const ForceOptions& options() const { return options_; }
  /// Takes other options for the coming forces, the leaf capacity for the coming trees. Throws as
  /// the constructor does, and takes nothing then.
  void set_options(const ForceOptions& options) {
    if (const std::optional<SettingError> problem = problem_with(options)) throw *problem;
    if (options.grouping != options_.grouping) {
      grouping_ = options.grouping ? options.grouping->make(device_) : nullptr;
    }
    options_ = options;
    if (ranks_.size() > 1) options_.placement = Placement::centered;
    set_acceptance(options.acceptance);
    if (options.leaf_capacity == 0) options_.leaf_capacity = chosen(Defaults::leaf_steps, 0);
    if (options.list_capacity == 0) options_.list_capacity = Defaults::list_capacity;
    options_.group_size = asked_group_size(options);
    const bool allowed = estimate_allowed(options.acceptance, Warp::root_error);
    root_ = allowed && options.root != RootChoice::newton ? Root::estimate : Root::newton;
  }
  /// Why options cannot be taken; nothing if they can.
  std::optional<SettingError> problem_with(const ForceOptions& options) const;
  /// Takes another criterion for the coming forces; the root of a pair stays as it is.
  void set_acceptance(const Acceptance& acceptance) {
    options_.acceptance = acceptance;
    options_.acceptance.order = chosen_order(acceptance);
    forget_others();
  }

  Root root() const { return root_; }
  const Tree<Device>& tree() const { return tree_; }
  /// For those who attach trees of others to it.
  Tree<Device>& tree() { return tree_; }
  /// Null for the usual groups.
  Grouping<Device>* grouping() { return grouping_.get(); }
  /// The groups that the last force was found for.
  const GroupsOfTargets& last_groups() const { return last_groups_; }

  /// Finds the keys of the particles, in their order, in a cube around those of all ranks.
  void find_keys(const Vec4* position, std::uint32_t n, Timer& timer, ForceCost& cost) {
    keys_.resize(n);
    make_keys(device_, key_cube(device_, position, n, options_.placement, ranks_), position, n,
              options_.curve, keys_.data());
    timer.lap(cost.keys);
  }
  /// Finds the order of the particles with these keys along the curve: particle order()[i] comes at
  /// place i. The caller moves its particles accordingly and then calls build().
  void sort(Timer& timer, ForceCost& cost) {
    order_.resize(keys_.size());
    list_all(device_, order_.data(), order_.size());
    device_.sort_pairs(keys_, order_, tree::key_bits);
    timer.lap(cost.sort);
  }
  const std::uint32_t* order() const { return order_.data(); }
  /// [n] of the particles that were sorted last, ascending.
  const Buffer<Key>& keys() const { return keys_; }
  /// For those who give the particles to other ranks before they are sorted.
  Buffer<Key>& keys() { return keys_; }

  /// Builds the tree of particles that were sorted before and had these keys.
  void restore(std::span<const Key> keys, Timer& timer, ForceCost& cost) {
    keys_.resize(keys.size());
    keys_.upload(keys);
    build(timer, cost);
  }
  /// What the ranks have of each other's trees; null if there is one rank.
  SharedTrees<Device>* shared() { return shared_.get(); }
  /// Prunes the trees as they were pruned before. All ranks must call it, after restore().
  void restore_shared(const OpenedCells& opened) {
    shared_->restore(tree_, std::uint32_t(keys_.size()), opened);
    knows_others_ = true;
  }

  /// Builds the tree of the particles that were sorted last.
  void build(Timer& timer, ForceCost& cost) {
    build_tree(device_, tree_, keys_.data(), std::uint32_t(keys_.size()), options_.leaf_capacity);
    timer.lap(cost.build);
    moved_ = false;
    forget_others();
  }
  /// Tells that the particles have moved since the tree was built.
  void tell_motion() { moved_ = true; }
  /// Tells whether others have particles with lower and with higher keys.
  void tell_cuts(bool low, bool high) {
    cut_low_ = low;
    cut_high_ = high;
  }

  /// Accelerations and potentials of the targets, of particles and external field.
  ///
  /// \param position [n] positions and masses at the present time, in the order of the tree; those
  ///        of other ranks come behind them
  /// \param old_acceleration [n] of the last time, for the acceleration criterion
  /// \param targets [count] particles that want a force, in the order of the tree
  /// \param acceleration [n] result, for the targets
  /// \param timer whose laps are those of the stages; `cost` gets their seconds when it is read
  /// \param of_rank what else there is on several ranks
  void evaluate(Buffer<Vec4>& positions, const Vec4* old_acceleration, const std::uint32_t* targets,
                std::uint32_t count, Vec4* acceleration, Timer& timer, ForceCost& cost,
                const OfRank& of_rank = {}) {
    with_order(options_.acceptance.order,
               [&]<Order order>() { update_moments<order>(device_, tree_, positions.data()); });
    enlarge_cut_cells(device_, tree_, std::uint32_t(keys_.size()), cut_low_, cut_high_);
    if (shared_) {
      timer.lap(cost.moments);
      take_from_others(positions, old_acceleration, of_rank.velocity);
      cost.remote_cells += shared_->cells();
      cost.remote_particles += shared_->particles();
      timer.lap(cost.exchange);
    }
    find_reach(moved_);
    timer.lap(cost.moments);
    const WalkTargets all{targets, count, chosen_group_size(count), true};
    walk_for(all, positions.data(), old_acceleration, acceleration, timer, cost);
    if (of_rank.cost != nullptr) add_costs(of_rank.cost);
    if (shared_) {
      mend(all, positions, old_acceleration, of_rank.velocity, acceleration, timer, cost);
      timer.lap(cost.exchange);
    }
    add_field<float>(device_, options_.external, positions.data(), targets, count, acceleration);
    timer.lap(cost.walk);
  }

  /// Adds up what the last evaluation counted.
  void add_counts(ForceCost& cost) {
    const WalkCount* const counts = counts_.data();
    cost.counts += device_.reduce(
        counts_.size(), WalkCount{}, [=] GOTHIC_HD(std::size_t i) { return counts[i]; },
        [] GOTHIC_HD(WalkCount a, const WalkCount& b) { return a += b; });
  }

  /// Adds to the cost of every target what the last walk summed for it: the mean of its group or
  /// bundle. Parts of groups that were split do not count.
  void add_costs(float* cost) {
    constexpr std::uint32_t bundle = Defaults::bundle_size;
    const WalkCount* const counts = counts_.data();
    const auto [position, targets, groups, group_count, group_size, neighbours] = last_groups_;
    const std::uint32_t all = group_count;
    const std::uint32_t* const wanted = targets;
    const Range* const ranges = groups;
    device_.for_each(all, [=] GOTHIC_HD(std::size_t g) {
      const std::uint32_t first = std::uint32_t(g) / bundle * bundle;
      const std::uint32_t last = first + bundle < all ? first + bundle : all;
      const std::uint32_t members =
          ranges[last - 1].first + ranges[last - 1].count - ranges[first].first;
      const float share = float(counts[g / bundle].template equivalent_pairs<Defaults>() / members);
      const Range own = ranges[g];
      for (std::uint32_t k = own.first; k < own.first + own.count; ++k) cost[wanted[k]] += share;
    });
  }

  /// Group size for `count` active particles, from Defaults::group_steps: smaller where there would
  /// be too few groups for the warps.
  std::uint32_t chosen_group_size(std::uint32_t count) const {
    if (options_.exact_group_size > 0) return options_.exact_group_size;
    if (options_.group_size > 0) return options_.group_size;
    return chosen(Defaults::group_steps, count);
  }
  /// Lanes that share a particle of such a group.
  int chosen_sharing(std::uint32_t count) const { return sharing_of(chosen_group_size(count)); }
  static int sharing_of(std::uint32_t group_size) {
    return lanes_sharing<Warp, Warp::least_per_lane>(group_size);
  }

 private:
  static constexpr std::uint32_t most_per_lane = Defaults::most_per_lane;

  /// Targets that walk together.
  struct WalkTargets {
    const std::uint32_t* targets;
    std::uint32_t count, group_size;
    bool with_neighbours;  ///< whether those of a group count for it; see neighbours()
  };

  void walk_for(const WalkTargets& wanted, const Vec4* position, const Vec4* old_acceleration,
                Vec4* acceleration, Timer& timer, ForceCost& cost) {
    const auto [targets, count, group_size, with_neighbours] = wanted;
    if (grouping_) {
      grouping_->make_groups(device_, groups_, position, targets, count, group_size,
                             std::min(group_size, std::uint32_t(Warp::width) / 2));
    } else {
      make_groups(device_, groups_, count, group_size);
    }
    if constexpr (Defaults::bundle_size == 1) {
      counts_.resize(groups_.count + 1);
      parts_.resize(2 * std::size_t(count));
    } else {
      counts_.resize(bundle_count<Defaults::bundle_size>(groups_.count));
    }
    cost.group_count += groups_.count;
    last_groups_ = {
        position,      targets,    groups_.ranges.data(),
        groups_.count, group_size, with_neighbours ? neighbours(group_size) : Neighbourhood{}};
    const Vec4* const balls = grouping_ ? grouping_->make_balls(device_, last_groups_) : nullptr;
    cost.sharing = sharing_of(group_size);
    cost.group_extent = grouping_ ? grouping_->extent() : 0;
    timer.lap(cost.groups);

    walk<Device>(device_, root_,
                 {.center = tree_.center.data(),
                  .moments = std::as_const(tree_).moment_pointers(),
                  .reach = tree_.reach.data(),
                  .children = tree_.children.data(),
                  .particles = tree_.particles.data(),
                  .roots = tree_.roots.data(),
                  .root_count = std::uint32_t(tree_.roots.size()),
                  .position = position,
                  .old_acceleration = old_acceleration,
                  .targets = targets,
                  .groups = groups_.ranges.data(),
                  .group_count = groups_.count,
                  .balls = balls,
                  .acceleration = acceleration,
                  .counts = counts_.data(),
                  .acceptance = options_.acceptance,
                  .softening = float(options_.softening),
                  .has_external = options_.external.count > 0,
                  .group_size = group_size,
                  .neighbours = last_groups_.neighbours,
                  .list_capacity = options_.list_capacity,
                  .split_ratio = options_.split_ratio,
                  .deepest_cell = tree_.level[tree_.levels() - 1],
                  .parts = parts_.data()});
    timer.lap(cost.walk);
  }

  /// Gives the essential parts of the tree to the other ranks and takes theirs.
  void take_from_others(Buffer<Vec4>& positions, const Vec4* old_acceleration,
                        const Vec4* velocity) {
    if (!knows_others_) {
      find_reach(true);  // no cell reaches farther before the tree is built anew
      shared_->renew(tree_, positions.data(), velocity, old_acceleration,
                     std::uint32_t(keys_.size()), options_.external.count == 0,
                     options_.acceptance);
      knows_others_ = true;
    }
    shared_->refresh(tree_, positions, options_.acceptance.order);
  }
  void forget_others() { knows_others_ = false; }

  /// Finds those forces again for which a part of another rank's tree was missing: for each target
  /// alone, since a wide group may open cells that none of its particles would. If that is not
  /// enough on some rank, all ranks renew the essential trees first.
  void mend(const WalkTargets& all, Buffer<Vec4>& positions, const Vec4* old_acceleration,
            const Vec4* velocity, Vec4* acceleration, Timer& timer, ForceCost& cost) {
    std::uint32_t lacking = list_lacking(device_, acceleration, all.targets, all.count, lacking_);
    const WalkTargets alone{lacking_.data(), lacking, 1, false};
    const auto walk_alone = [&] {
      if (lacking == 0) return;
      add_counts(cost);
      walk_for(alone, positions.data(), old_acceleration, acceleration, timer, cost);
      cost.walked_alone += lacking;
    };
    walk_alone();
    const std::uint32_t left =
        lacking > 0 ? count_lacking(device_, acceleration, alone.targets, lacking) : 0;
    if (combined(ranks_, left, std::plus<>()) == 0) return;
    ++cost.renewed;
    forget_others();
    take_from_others(positions, old_acceleration, velocity);
    find_reach(moved_);
    walk_alone();  // what is NaN then is so for another reason
  }

  void find_reach(bool moved) {
    update_acceptance(device_, tree_, options_.acceptance, float(options_.softening),
                      SofteningTolerance::when(moved, options_.acceptance));
  }

  /// What of cells acts, by the accuracy where it is left to the solver.
  static Order chosen_order(const Acceptance& acceptance) {
    if (acceptance.order != Order::automatic) return acceptance.order;
    return is_fine(acceptance, Defaults::octupole_accuracy) ? Order::octupole : Order::quadrupole;
  }
  /// Whether the criterion is that of accelerations, with this accuracy or a finer one.
  static bool is_fine(const Acceptance& acceptance, float accuracy) {
    return acceptance.mac == Mac::acceleration && acceptance.accuracy <= accuracy;
  }
  /// Fast memory that a walk of single groups needs, for so many sources.
  static std::size_t scratch_bytes(Order order, std::uint32_t sources) {
    return with_order(order, [=]<Order known>() {
      using Scratch = StackScratch<Warp, known>;
      return sizeof(Scratch) + Scratch::bytes_behind(sources);
    });
  }

  /// The size for `count` active particles and the present accuracy.
  template <std::size_t n>
  std::uint32_t chosen(const SizeStep (&steps)[n], std::uint32_t count) const {
    std::uint32_t size = 0;
    for (const SizeStep& step : steps) {
      const bool holds = step.accuracy >= 1 || is_fine(options_.acceptance, step.accuracy);
      if (holds && count >= step.active_per_warp * double(device_.warps())) size = step.size;
    }
    return size;
  }

  std::uint32_t usual_group_size() const {
    return options_.group_size > 0 ? options_.group_size : Defaults::group_size;
  }
  Neighbourhood neighbours(std::uint32_t group_size) const {
    if (group_size >= usual_group_size()) return {};
    const int room = most_group_registers - registers_for<Warp>(group_size);
    return {std::uint32_t(keys_.size()),
            std::min(usual_group_size(), std::uint32_t(room * Warp::width))};
  }

  /// The size of groups that options ask for; 0 if they leave it to the solver.
  static std::uint32_t asked_group_size(const ForceOptions& options) {
    if (options.group_size > 0 || options.sharing == 0) return options.group_size;
    const bool is_usual = sharing_of(Defaults::group_size) == options.sharing;
    return is_usual ? Defaults::group_size
                    : std::uint32_t(Warp::least_per_lane * Warp::width / options.sharing);
  }

  Device& device_;
  Communicator& ranks_;
  std::unique_ptr<SharedTrees<Device>> shared_;  ///< null if there are no other ranks
  bool knows_others_ = false;                    ///< whether their trees are attached
  Buffer<std::uint32_t> lacking_;                ///< targets that walk again
  ForceOptions options_;
  Root root_ = Root::newton;
  Tree<Device> tree_;
  bool moved_ = false;                       ///< since the tree was built
  bool cut_low_ = false, cut_high_ = false;  ///< see tell_cuts
  Groups<Device> groups_;
  std::unique_ptr<Grouping<Device>> grouping_;
  Buffer<Key> keys_;
  Buffer<std::uint32_t> order_;
  GroupsOfTargets last_groups_{};
  Buffer<WalkCount> counts_;  ///< of the last walk
  Buffer<Range> parts_;       ///< of groups that are split
};

template <DeviceType Device>
std::optional<SettingError> ForceSolver<Device>::problem_with(const ForceOptions& options) const {
  constexpr std::uint32_t most_particles = most_per_lane * Warp::width, least_sources = Warp::width;
  const std::uint32_t size = options.group_size;
  const std::uint32_t sources =
      options.list_capacity > 0 ? options.list_capacity : Defaults::list_capacity;
  const bool fits = Defaults::bundle_size > 1 || scratch_bytes(chosen_order(options.acceptance),
                                                               sources) <= device_.scratch_limit();
  const auto text = [](auto number) { return std::to_string(number); };
  if (options.acceptance.mac == Mac::opening && options.acceptance.accuracy > 1) {
    return SettingError("accuracy",
                        "an opening angle above 1 would let cells act on their own particles; use "
                        "at most 1");
  }
  if (options.root == RootChoice::estimate &&
      !estimate_allowed(options.acceptance, Warp::root_error)) {
    return SettingError("root",
                        "the estimate's error is too large for the requested {accuracy}; use "
                        "{root} newton or a larger {accuracy}",
                        "estimate");
  }
  if (sources < least_sources) {
    return SettingError("list_capacity", "this device needs room for at least " +
                                             text(least_sources) + " sources; use more");
  }
  if (!fits) {
    return SettingError("list_capacity",
                        "the fast memory of a block has no room for " + text(sources) +
                            " sources to a warp; use fewer, or a smaller {warp_threads}");
  }
  if (size > most_particles) {
    return SettingError("group_size", "this device takes groups of at most " +
                                          text(most_particles) + " particles; use smaller ones");
  }
  if (options.sharing > Warp::most_sharing) {
    return SettingError("sharing", "at most " + text(Warp::most_sharing) +
                                       " lanes of this device may share a particle; use fewer");
  }
  if (size > 0 && options.sharing > 0 && sharing_of(size) != options.sharing) {
    return SettingError("sharing", "groups of " + text(size) + " particles have " +
                                       text(sharing_of(size)) +
                                       " lanes to each on this device; leave out {sharing} or "
                                       "{group_size}");
  }
  return {};
}

}  // namespace gothic
