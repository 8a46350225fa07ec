#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/device/device.hpp"
#include "core/dynamics/sorted_particles.hpp"
#include "core/engine/force_settings.hpp"
#include "core/messages/one_rank.hpp"
#include "core/ranks/attached_trees.hpp"
#include "core/ranks/cut_cells.hpp"
#include "core/ranks/domains.hpp"
#include "core/ranks/exchanged_trees.hpp"
#include "core/tree/moments.hpp"
#include "core/tree/particle_keys.hpp"
#include "core/tree/tree.hpp"

namespace gothic {

/// Particles at one time, in the order of their tree.
template <DeviceType Device>
struct Instant {
  double time;  ///< of the particles and of external fields
  bool moved;   ///< whether the particles have moved since their tree was built
  /// [n] positions and masses; the particles of other ranks are put behind them
  typename Device::template Buffer<Vec4>& position;
  const Vec4* old_acceleration;    ///< [n] of the last time, for the acceleration criterion
  const Vec4* velocity = nullptr;  ///< [n] tells what other ranks need before long; null: at rest
  bool seen = false;  ///< whether a force at this time was found before, so that moments are known
};

/// Fields of the particles by which trees are grown.
template <DeviceType Device>
struct TreeFields {
  typename Device::template Buffer<Vec4>& position;  ///< by which particles are sorted; and masses
  typename Device::template Buffer<float>* softening = nullptr;  ///< lengths; null if all are equal
  /// By which ranks divide the particles; null if all count alike.
  typename Device::template Buffer<float>* cost = nullptr;
};

/// The trees in which forces are found: the tree of the own particles, and behind it the essential
/// trees of other domains. Ranks exchange them when they are needed. Who has several domains in one
/// process attaches them.
template <DeviceType Device>
class Forest {
 public:
  using Key = tree::Key;
  template <class T>
  using Buffer = typename Device::template Buffer<T>;
  using Timer = typename Device::Timer;

  explicit Forest(Device& device, Communicator& ranks = one_rank())
      : device_(device), ranks_(ranks), cuts_{ranks.rank() > 0, ranks.rank() + 1 < ranks.size()} {
    if (cuts_.any()) exchanged_ = std::make_unique<ExchangedTrees<Device>>(device, ranks);
  }
  /// A domain among others in this process.
  Forest(Device& device, Cuts cuts) : device_(device), ranks_(one_rank()), cuts_(cuts) {}

  Communicator& ranks() const { return ranks_; }
  const Tree<Device>& tree() const { return tree_; }
  /// [n] of the particles when the tree was built, ascending.
  const Buffer<Key>& keys() const { return keys_; }
  std::uint32_t particles() const { return std::uint32_t(keys_.size()); }
  /// Whether the particles are those of one domain among others.
  bool has_others() const { return cuts_.any(); }
  /// Trees that ranks exchange; null if there is one rank.
  ExchangedTrees<Device>* exchanged() { return exchanged_.get(); }

  /// Gives every rank the particles of its domain, sorts them along the curve, and builds their
  /// tree.
  /// \param lifetime for which the essential trees are expected to serve
  void grow(SortedParticles<Device>& particles, const TreeFields<Device>& fields, double lifetime,
            const ForceOptions& options, Timer& timer, ForceCost& cost) {
    const std::uint32_t n = particles.size();
    const Placement placement = exchanged_ ? Placement::centered : options.placement;
    fields.position.resize(n);  // without the particles of other ranks
    keys_.resize(n);
    const Vec4* const position = fields.position.data();
    make_keys(device_, key_cube(device_, position, n, placement, ranks_), position, n,
              options.curve, keys_.data());
    timer.lap(cost.keys);
    if (exchanged_) {
      redistribute(device_, ranks_, particles, fields.cost, keys_);
      timer.lap(cost.exchange);
      exchanged_->expect(lifetime);
    }
    order_.resize(keys_.size());
    list_all(device_, order_.data(), order_.size());
    device_.sort_pairs(keys_, order_, tree::key_bits);
    particles.permute(device_, order_.data());
    timer.lap(cost.sort);
    build(fields, options, timer, cost);
  }

  /// Builds the tree of particles that are sorted already.
  /// \param keys of the particles
  void restore(std::span<const Key> keys, const TreeFields<Device>& fields,
               const ForceOptions& options, Timer& timer, ForceCost& cost) {
    keys_.resize(keys.size());
    keys_.upload(keys);
    build(fields, options, timer, cost);
  }
  /// Prunes the trees as they were pruned before, for a criterion. All ranks must call it, after
  /// the trees were restored.
  void restore_others(const OpenedCells& opened, const Acceptance& acceptance) {
    attach(exchanged_->restore(tree_, opened));
    attached_for_ = acceptance;
  }

  /// Attaches the essential trees of other domains to the tree.
  void attach(const PackedTopology<Device>& received) {
    attached_.attach(device_, tree_, particles(), received);
  }
  /// Takes the present values of the attached trees.
  /// \param order to which cells act
  /// \param position see Instant
  void unpack(Buffer<std::byte>& values, Order order, Buffer<Vec4>& position) {
    attached_.unpack(device_, tree_, values, order, position);
  }

  /// Brings moments, the trees of others and the reach of cells to the time of the particles.
  /// \param variation that may measure cells in another way
  void refresh(const Instant<Device>& now, const ForceSettings<Device>& settings, Timer& timer,
               ForceCost& cost, Variation<Device>* variation = nullptr) {
    const Order order = settings.acceptance().order;
    if (!now.seen || order != moments_order_) {
      with_order(order,
                 [&]<Order own>() { update_moments<own>(device_, tree_, now.position.data()); });
      moments_order_ = order;
      if (variation != nullptr) variation->measure_cells(device_, tree_, now.position.data());
      enlarge_cut_cells(device_, tree_, particles(), cuts_);
    }
    if (has_others()) {
      timer.lap(cost.moments);
      if (exchanged_) take_from_others(now, settings);
      cost.remote_cells += attached_.size().cells;
      cost.remote_particles += attached_.size().particles;
      timer.lap(cost.exchange);
    }
    find_reach(settings, now.moved);
    timer.lap(cost.moments);
  }
  /// Exchanges the trees anew where a rank lacks a part of them. All ranks must call it.
  /// \param lacking number of targets of the own rank that lack a part
  /// \returns whether there are new trees
  bool renew_others(std::uint32_t lacking, const Instant<Device>& now,
                    const ForceSettings<Device>& settings) {
    if (!exchanged_ || combined(ranks_, lacking, std::plus<>()) == 0) return false;
    attached_for_.reset();
    take_from_others(now, settings);
    find_reach(settings, now.moved);
    return true;
  }

 private:
  void build(const TreeFields<Device>& fields, const ForceOptions& options, Timer& timer,
             ForceCost& cost) {
    build_tree(device_, tree_, keys_.data(), particles(), options.leaf_capacity);
    tree_.lengths = Lengths::equal;
    if (fields.softening != nullptr) {
      share_softening(device_, tree_, fields.softening->data(), fields.position.data(),
                      particles());
    }
    timer.lap(cost.build);
    attached_ = {};
    attached_for_.reset();
  }

  /// Gives the essential parts of the tree to the other ranks and takes theirs.
  void take_from_others(const Instant<Device>& now, const ForceSettings<Device>& settings) {
    const Acceptance& acceptance = settings.acceptance();
    if (attached_for_ != acceptance) {
      find_reach(settings, true);  // no cell reaches farther before the tree is built anew
      attach(exchanged_->renew(tree_, now.position.data(), now.velocity, now.old_acceleration,
                               particles(), settings.options().external.count == 0, acceptance));
      attached_for_ = acceptance;
    }
    unpack(exchanged_->exchange_values({tree_, now.position.data()}, acceptance.order),
           acceptance.order, now.position);
  }

  void find_reach(const ForceSettings<Device>& settings, bool moved) {
    update_acceptance(device_, tree_, settings.acceptance(), settings.softening_bounds(),
                      SofteningTolerance::when(moved, settings.acceptance()));
  }

  Device& device_;
  Communicator& ranks_;
  Cuts cuts_;
  Tree<Device> tree_;
  Order moments_order_ = Order::point;  ///< to which the moments were found
  Buffer<Key> keys_;
  Buffer<std::uint32_t> order_;                        ///< scratch
  std::unique_ptr<ExchangedTrees<Device>> exchanged_;  ///< null if there are no other ranks
  AttachedTrees<Device> attached_;
  std::optional<Acceptance> attached_for_;  ///< criterion of the trees that ranks exchanged last
};

}  // namespace gothic
