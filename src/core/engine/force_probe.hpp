#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/engine/force_settings.hpp"
#include "core/engine/force_solver.hpp"
#include "core/engine/forest.hpp"
#include "core/gravity/direct.hpp"
#include "core/messages/exchange.hpp"
#include "core/observers/error_sample.hpp"
#include "core/observers/force_errors.hpp"

namespace gothic {

/// Lists the particles that are in a sample.
/// \param members a bit for each slot, as far as there are members
/// \param n particles of the own rank, \param slot [n] theirs
/// \param places result, ascending
template <DeviceType Device>
void list_members(const Device& device,
                  const typename Device::template Buffer<std::uint32_t>& members, std::uint32_t n,
                  const std::uint32_t* slot,
                  typename Device::template Buffer<std::uint32_t>& places) {
  const std::uint32_t* const bits = members.data();
  const auto words = std::uint32_t(members.size());
  const auto is_member = [=] GOTHIC_DEVICE(std::uint32_t i) {
    const std::uint32_t word = slot[i] / 32;
    return word < words && (bits[word] >> (slot[i] % 32) & 1) != 0;
  };
  list_chosen(device, n, is_member, places);
}

/// Compares forces on a sample of particles with direct sums, at any time of the particles. On
/// several ranks all must make the same calls.
template <DeviceType Device>
class ForceProbe {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  ForceProbe(Device& device, Communicator& ranks, ErrorSample sample)
      : device_(device), ranks_(ranks), sample_(std::move(sample)) {
    std::vector<std::uint32_t> bits(sample_.members.empty() ? 0
                                                            : sample_.members.back().slot / 32 + 1);
    for (const auto& [slot, component] : sample_.members) {
      bits[slot / 32] |= 1U << (slot % 32);
    }
    members_.resize(bits.size());
    members_.upload(bits);
  }

  /// Particles of all ranks.
  double particles() const { return double(sample_.particles()); }
  /// Those of them whose forces are summed.
  double sampled() const { return double(sample_.members.size()); }
  /// Pairs of a sum.
  double pairs() const { return sampled() * particles(); }

  /// Finds the sampled particles in the order of the tree, and sums the forces of all particles and
  /// the field on them.
  /// \param n particles of the own rank
  /// \param slot, position [n] of the particles
  /// \param share [n] in the softening; null if all have the same length
  void sum(std::uint32_t n, const std::uint32_t* slot, const Vec4* position, const float* share,
           double time, const ForceOptions& options);

  /// The own sampled particles, as targets of a force.
  ForceTargets targets() const { return {places_.data(), std::uint32_t(places_.size())}; }

  /// What sum() has found: the sampled particles of all ranks without tree forces, by slot.
  const std::vector<SampledForce>& exact() const { return exact_; }
  /// The forces that sum() was called for beside those that a tree has found.
  /// \param acceleration [n] of the sampled particles at least
  /// \param velocity of the own sampled particles, in the order of targets(); none: at rest
  std::vector<SampledForce> compared(const Vec4* acceleration,
                                     const std::vector<Vec4>& velocity = {}) const;

  const std::vector<ForceSample::Component>& components() const { return sample_.components; }

 private:
  /// A sampled particle, where it is now.
  struct Placed {
    std::uint32_t slot;
    float share;
    Vec4 position;
  };
  struct Found {
    std::uint32_t slot;
    Vec4 acceleration, velocity;
  };

  template <class T>
  std::vector<T> own(const T* values) const {
    return downloaded_from(device_, values, places_.data(), places_.size());
  }

  Device& device_;
  Communicator& ranks_;
  ErrorSample sample_;
  Buffer<std::uint32_t> members_;      ///< a bit for each slot: whether it is in the sample
  Buffer<std::uint32_t> places_;       ///< of the own members in the order of the tree, ascending
  std::vector<std::uint32_t> placed_;  ///< slots of the own members, in the order of places_
  std::vector<SampledForce> exact_;    ///< [members] by slot, without what a tree finds
};

template <DeviceType Device>
void ForceProbe<Device>::sum(std::uint32_t n, const std::uint32_t* slot, const Vec4* position,
                             const float* share, double time, const ForceOptions& options) {
  list_members(device_, members_, n, slot, places_);
  placed_ = own(slot);
  const std::vector<Vec4> places = own(position);
  const std::vector<float> shares =
      share != nullptr ? own(share) : std::vector<float>(placed_.size());
  std::vector<Placed> all;
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    all.push_back({placed_[k], shares[k], places[k]});
  }
  all = joined(ranks_, std::move(all));
  std::ranges::sort(all, {}, &Placed::slot);

  const auto count = std::uint32_t(all.size());
  std::vector<Vec4> target(count);
  std::vector<float> target_share(count);
  for (std::size_t k = 0; k < count; ++k) {
    target[k] = all[k].position;
    target[k].w = 0;  // of other ranks' particles, too
    target_share[k] = all[k].share;
  }
  Buffer<Vec4> target_position(count);
  Buffer<float> target_shares(count);
  Buffer<std::uint32_t> numbers(count);
  Buffer<Force> sums(count);
  target_position.upload(target);
  target_shares.upload(target_share);
  list_all(device_, numbers.data(), count);
  direct_forces<Root::newton>(
      device_, position, share, n,
      {target_position.data(), share != nullptr ? target_shares.data() : nullptr, numbers.data(),
       count},
      double(options.acceptance.gravity), options.softening, sums.data());
  std::vector<double> potential;  // without the field's, as trees have it
  for (const Force& one : sums.downloaded()) potential.push_back(one.potential);
  if (leads(ranks_)) {
    add_field<double>(device_, options.external, time, target_position.data(), numbers.data(),
                      count, sums.data(), true);
  }
  std::vector<double> flat;
  for (const Force& one : sums.downloaded()) flat.insert(flat.end(), {one.x, one.y, one.z});
  flat = summed(ranks_, std::move(flat));
  potential = summed(ranks_, std::move(potential));
  exact_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const std::int32_t component = sample_.members[k].component;
    const double length = options.softening_of(component);
    const double mass = all[k].position.w, gravity = options.acceptance.gravity;
    exact_.push_back({.slot = all[k].slot,
                      .component = component,
                      .mass = mass,
                      .exact = {flat[3 * k], flat[3 * k + 1], flat[3 * k + 2]},
                      .exact_potential = potential[k] + gravity * mass / length});  // not its own
  }
}

template <DeviceType Device>
std::vector<SampledForce> ForceProbe<Device>::compared(const Vec4* acceleration,
                                                       const std::vector<Vec4>& velocity) const {
  const std::vector<Vec4> accelerations = own(acceleration);
  std::vector<Found> found;
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    found.push_back({placed_[k], accelerations[k], velocity.empty() ? Vec4{} : velocity[k]});
  }
  found = joined(ranks_, std::move(found));
  std::ranges::sort(found, {}, &Found::slot);
  std::vector<SampledForce> result = exact_;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const Vec4 a = found[k].acceleration, v = found[k].velocity;
    result[k].found = {a.x, a.y, a.z};
    result[k].found_potential = a.w;
    result[k].velocity = {v.x, v.y, v.z};
  }
  return result;
}

}  // namespace gothic
