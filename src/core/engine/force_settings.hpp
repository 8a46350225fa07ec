#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/device/device.hpp"
#include "core/device/launch_sizes.hpp"
#include "core/gravity/force_options.hpp"
#include "core/gravity/group_walk.hpp"
#include "core/setting_error.hpp"

namespace gothic {

/// Whether the root of a pair may have relative errors up to `root_error`, their mean removed. The
/// force's error from them is root_error / 40 where many pairs contribute (NFW, 2^17 particles),
/// and about root_error for the worst percent where few near pairs dominate (Plummer, 4096) or
/// pulls cancel (a thin disc). The bounds keep both at or below the 99 % force error of the
/// criterion, and of these worst cases below half of an error that is asked for.
/// \param asked 99 % error that is asked for; 0 for none
inline bool estimate_allowed(const Acceptance& acceptance, double root_error, double asked = 0) {
  const double accuracy = acceptance.accuracy;
  if (asked > 0 && asked < 4 * root_error) return false;
  if (acceptance.mac == Mac::opening) return accuracy * accuracy * accuracy >= 40 * root_error;
  return accuracy >= root_error / 2.5;
}

/// Options of a force that a device can take, with the device's choices where options leave them to
/// it: order, sizes, and the root of a pair.
template <DeviceType Device>
class ForceSettings {
 public:
  using Warp = typename Device::Warp;
  using Defaults = typename Device::Defaults;

  /// Throws SettingError where options contradict each other or the device.
  ForceSettings(const Device& device, const ForceOptions& options)
      : options_(options), warps_(double(device.warps())) {
    require_possible(options);
    set_acceptance(options.acceptance);
    if (options.leaf_capacity == 0) options_.leaf_capacity = chosen(Defaults::leaf_steps, 0);
    if (options.list_capacity == 0) options_.list_capacity = Defaults::list_capacity;
    require_fast_memory(device.scratch_limit());
    options_.group_size = asked_group_size(options);
    const bool allowed = estimate_allowed(options.acceptance, Warp::root_error, options.error);
    root_ = allowed && options.root != RootChoice::newton ? Root::estimate : Root::newton;
  }

  /// The same for particles that are far from each other and walk alone, with another criterion.
  ForceSettings for_scattered(const Acceptance& acceptance) const {
    ForceSettings other = *this;
    other.set_acceptance(acceptance);
    other.options_.group_size = 1;
    return other;
  }

  /// The same with groups of one particle each, whose forces are as exact as those of a force on
  /// `count` particles.
  ForceSettings of_single_particles(std::uint32_t count) const {
    ForceSettings other = *this;
    other.neighbourhood_ = std::max(usual_group_size(), group_size(count));
    other.options_.exact_group_size = 1;
    return other;
  }

  /// The options, with the device's choices.
  const ForceOptions& options() const { return options_; }
  const Acceptance& acceptance() const { return options_.acceptance; }
  Root root() const { return root_; }

  /// The shares of all particles and points in the softening are within these bounds.
  SofteningBounds softening_bounds() const {
    const std::vector<double>& lengths = options_.component_softening;
    if (lengths.empty()) return SofteningBounds::of_equal(float(options_.softening));
    const auto [least, most] = std::ranges::minmax(lengths);
    return {softening_share(float(least)), softening_share(float(most))};
  }

  /// Group size for `count` active particles, from Defaults::group_steps: smaller where there would
  /// be too few groups for the warps.
  std::uint32_t group_size(std::uint32_t count) const {
    if (options_.exact_group_size > 0) return options_.exact_group_size;
    if (options_.group_size > 0) return options_.group_size;
    return chosen(Defaults::group_steps, count);
  }
  /// Lanes that share a particle of such a group.
  int sharing(std::uint32_t count) const { return sharing_of(group_size(count)); }
  static int sharing_of(std::uint32_t group_size) {
    return lanes_sharing<Warp, Warp::least_per_lane>(group_size);
  }
  /// The neighbours that count for a group: with them, forces on small groups are as exact as
  /// forces on groups of the usual size.
  /// \param particles of the tree
  Neighbourhood neighbours(std::uint32_t group_size, std::uint32_t particles) const {
    const std::uint32_t usual = neighbourhood_ > 0 ? neighbourhood_ : usual_group_size();
    if (group_size >= usual) return {};
    const int room = most_group_registers - registers_for<Warp>(group_size);
    return {particles, std::min(usual, std::uint32_t(room * Warp::width))};
  }

 private:
  std::uint32_t usual_group_size() const {
    return options_.group_size > 0 ? options_.group_size : Defaults::group_size;
  }

  void set_acceptance(const Acceptance& acceptance) {
    options_.acceptance = acceptance;
    if (acceptance.order == Order::automatic) {
      const bool fine = is_fine(acceptance, Defaults::octupole_accuracy);
      options_.acceptance.order = fine ? Order::octupole : Order::quadrupole;
    }
  }

  /// Whether this is the acceleration criterion, with this accuracy or a finer one.
  static bool is_fine(const Acceptance& acceptance, float accuracy) {
    return acceptance.mac == Mac::acceleration && acceptance.accuracy <= accuracy;
  }

  /// The size for `count` active particles and the present accuracy.
  template <std::size_t n>
  std::uint32_t chosen(const SizeStep (&steps)[n], std::uint32_t count) const {
    std::uint32_t size = 0;
    for (const SizeStep& step : steps) {
      const bool holds = step.accuracy >= 1 || is_fine(options_.acceptance, step.accuracy);
      if (holds && count >= step.active_per_warp * warps_) size = step.size;
    }
    return size;
  }

  /// The size of groups that options ask for; 0 if they leave it to the device.
  static std::uint32_t asked_group_size(const ForceOptions& options) {
    if (options.group_size > 0 || options.sharing == 0) return options.group_size;
    const bool is_usual = sharing_of(Defaults::group_size) == options.sharing;
    return is_usual ? Defaults::group_size
                    : std::uint32_t(Warp::least_per_lane * Warp::width / options.sharing);
  }

  static void require_possible(const ForceOptions& options);
  void require_fast_memory(std::size_t limit) const;

  ForceOptions options_;
  double warps_;
  std::uint32_t neighbourhood_ = 0;  ///< size of a neighbourhood; 0: the usual group size
  Root root_ = Root::newton;
};

template <DeviceType Device>
void ForceSettings<Device>::require_possible(const ForceOptions& options) {
  constexpr std::uint32_t most_particles = Defaults::most_per_lane * Warp::width;
  const std::uint32_t size = options.group_size;
  const auto text = [](auto number) { return std::to_string(number); };
  if (options.acceptance.mac == Mac::opening && options.acceptance.accuracy > 1) {
    throw SettingError("accuracy",
                       "an opening angle above 1 would let cells act on their own particles; use "
                       "at most 1");
  }
  if (options.root == RootChoice::estimate &&
      !estimate_allowed(options.acceptance, Warp::root_error, options.error)) {
    throw SettingError("root",
                       "the estimate's error is too large for the requested {accuracy}; use "
                       "{root} newton or a larger {accuracy}",
                       "estimate");
  }
  if (options.list_capacity > 0 && options.list_capacity < Warp::width) {
    throw SettingError("list_capacity", "this device needs room for at least " + text(Warp::width) +
                                            " sources; use more");
  }
  if (size > most_particles) {
    throw SettingError("group_size", "this device takes groups of at most " + text(most_particles) +
                                         " particles; use smaller ones");
  }
  if (options.sharing > Warp::most_sharing) {
    throw SettingError("sharing", "at most " + text(Warp::most_sharing) +
                                      " lanes of this device may share a particle; use fewer");
  }
  if (size > 0 && options.sharing > 0 && sharing_of(size) != options.sharing) {
    throw SettingError("sharing", "groups of " + text(size) + " particles have " +
                                      text(sharing_of(size)) +
                                      " lanes to each on this device; leave out {sharing} or "
                                      "{group_size}");
  }
}

/// Throws SettingError if the fast memory of a walk of single groups has no room for its lists.
template <DeviceType Device>
void ForceSettings<Device>::require_fast_memory(std::size_t limit) const {
  if constexpr (Defaults::bundle_size == 1) {
    const std::size_t bytes = with_order(acceptance().order, [&]<Order order>() {
      const auto bytes = [this]<Lengths lengths>() {
        using Scratch = GroupScratch<Warp, order, lengths>;
        return sizeof(Scratch) + Scratch::bytes_behind(options_.list_capacity);
      };
      return options_.component_softening.empty() ? bytes.template operator()<Lengths::equal>()
                                                  : bytes.template operator()<Lengths::own>();
    });
    if (bytes <= limit) return;
    throw SettingError("list_capacity",
                       "the fast memory of a block has no room for " +
                           std::to_string(options_.list_capacity) +
                           " sources to a warp; use fewer, or a smaller {warp_threads}");
  }
}

}  // namespace gothic
