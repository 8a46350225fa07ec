#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "bench/system.hpp"
#include "bench/timing.hpp"
#include "core/device/combine.hpp"
#include "core/ranks/domains.hpp"

/// A system on one device, divided into domains as ranks have them.
namespace gothic::detail {

/// Parts of the trees of others, as a domain gets or gives them.
struct EssentialParts {
  std::uint64_t cells = 0, particles = 0;
  std::uint64_t value_bytes = 0;     ///< at every step; see EssentialValues
  std::uint64_t topology_bytes = 0;  ///< at every construction
  std::uint32_t opened = 0;          ///< trees of which it gets more than the root

  EssentialParts& operator+=(const EssentialParts& other) {
    cells += other.cells;
    particles += other.particles;
    value_bytes += other.value_bytes;
    topology_bytes += other.topology_bytes;
    opened += other.opened;
    return *this;
  }
};

/// Seconds of passing essential trees on.
struct PassingTimes {
  double prune = 0, attach = 0;  ///< at every construction
  double pack = 0, unpack = 0;   ///< at every step
};
inline constexpr double PassingTimes::*passing_times[] = {
    &PassingTimes::prune, &PassingTimes::attach, &PassingTimes::pack, &PassingTimes::unpack};

template <DeviceType Device>
double sum_of(const Device& device, const float* values, std::uint32_t n) {
  return device.reduce(
      n, 0.0, [=] GOTHIC_DEVICE(std::size_t i) { return double(values[i]); }, Sum{});
}

/// Positions after some time at the present velocities.
/// \param later [n] result
template <DeviceType Device>
void drift(const Device& device, const Vec4* position, const Vec4* velocity, std::uint32_t n,
           float time, Vec4* later) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) {
    const Vec4 r = position[i], v = velocity[i];
    later[i] = {r.x + time * v.x, r.y + time * v.y, r.z + time * v.z, r.w};
  });
}

/// Borders of domains of equal cost; see divide().
/// \param keys, cost [n] of the particles
template <DeviceType Device>
std::vector<tree::Key> equal_borders(const Device& device, const tree::Key* keys, const float* cost,
                                     std::uint32_t n, int domains) {
  const std::uint32_t count = samples_of_each(domains) * std::uint32_t(domains);
  return balanced_borders(key_samples(device, keys, cost, n, count), domains, most_particles);
}

/// Domains of equal cost: the d-th has the particles begins[d] ... begins[d + 1] - 1.
/// \param keys [n] of the particles, ascending
/// \param cost [n] of them, in pairs
template <DeviceType Device>
std::vector<std::uint32_t> equal_domains(const Device& device,
                                         const typename Device::template Buffer<tree::Key>& keys,
                                         const float* cost, int domains) {
  const std::vector<tree::Key> sorted = keys.downloaded();
  std::vector<std::uint32_t> begins{0};
  for (const tree::Key border :
       equal_borders(device, keys.data(), cost, std::uint32_t(sorted.size()), domains)) {
    begins.push_back(std::uint32_t(std::ranges::lower_bound(sorted, border) - sorted.begin()));
  }
  begins.push_back(std::uint32_t(sorted.size()));
  return begins;
}

/// Particles of all domains that get other owners when the borders are chosen anew, after some time
/// at their velocities.
/// \param cost [n] of the particles, in pairs; begins see equal_domains
template <DeviceType Device>
std::uint32_t movers(Device& device, BenchSystem<Device>& system, const float* cost,
                     const std::vector<std::uint32_t>& begins, double time) {
  const std::uint32_t n = system.size();
  const ForceOptions& options = system.settings().options();
  typename Device::template Buffer<Vec4> later(n);
  typename Device::template Buffer<tree::Key> keys(n);
  drift(device, system.bodies().predicted.data(), system.bodies().velocity.data(), n, float(time),
        later.data());
  make_keys(device, key_cube(device, later.data(), n, options.placement), later.data(), n,
            options.curve, keys.data());
  const auto borders = equal_borders(device, keys.data(), cost, n, int(begins.size()) - 1);
  std::uint32_t count = 0;
  for (std::size_t d = 0; d + 1 < begins.size(); ++d) {
    count += count_leavers(device, domain_of(borders, d), keys.data() + begins[d],
                           begins[d + 1] - begins[d]);
  }
  return count;
}

/// Domains with a tree each, in one process. They prune, pack, attach and unpack essential trees,
/// and find forces with them, as ranks do. Between the two sides there are no messages: what a
/// domain takes is pruned then, since there is no room for the essential trees of all domains.
template <DeviceType Device>
class DividedSystem {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;
  using Timer = typename Device::Timer;

  /// \param begins see equal_domains
  /// \param time for which the trees are to serve
  /// \param repeats of what is timed, after one that does not count
  DividedSystem(Device& device, BenchSystem<Device>& system, const ForceOptions& options,
                std::vector<std::uint32_t> begins, double time, int repeats = 1)
      : device_(device),
        bodies_(system.bodies()),
        all_(system.all()),
        solver_(device, options),
        begins_(std::move(begins)),
        pruned_(device, size()) {
    OutlineMargin margin = usual_margin;
    margin.time = float(time);
    const double mass = mass_of(device, bodies_.predicted.data(), system.size());
    const float least = least_acceleration(acceptance(), float(mass), options.external.count == 0);
    for (std::size_t d = 0; d < size(); ++d) {
      domains_.emplace_back(device, Cuts{d > 0, d + 1 < size()});
      build_seconds_ += build(d, system.forest().keys(), repeats);
      outline_seconds_ += find_outlines_of(d, least, margin, repeats);
    }
  }

  std::size_t size() const { return begins_.size() - 1; }
  /// Particles of a domain, in the order of the whole tree.
  Range particles(std::size_t domain) const {
    return {begins_[domain], begins_[domain + 1] - begins_[domain]};
  }
  std::size_t outlines(std::size_t domain) const { return domains_[domain].outlines.size(); }
  /// Seconds of all domains together.
  double build_seconds() const { return build_seconds_; }
  double outline_seconds() const { return outline_seconds_; }

  /// What a domain gives to all others.
  /// \param times of pruning and packing are added
  EssentialParts give(std::size_t from, PassingTimes& times) {
    Timer timer(device_);
    for_each_other(from, [&](std::size_t to) { prune(to, from, to); });
    const PackedTopology<Device>& topology = pruned_.pack_topology();
    timer.lap(times.prune);
    pruned_.pack_values(order(), [&](std::size_t) { return whole(from); });
    timer.lap(times.pack);
    timer.finish();
    return parts(topology.sizes);
  }

  /// What a domain gets from all others; attaches that to its tree.
  /// \param times of attaching and unpacking are added
  EssentialParts take(std::size_t to, PassingTimes& times) {
    for_each_other(to, [&](std::size_t from) { prune(from, from, to); });
    const PackedTopology<Device>& topology = pruned_.pack_topology();
    Buffer<std::byte>& values =
        pruned_.pack_values(order(), [&](std::size_t from) { return whole(from); });
    take_positions(to);
    Timer timer(device_);
    domains_[to].forest.attach(topology);
    timer.lap(times.attach);
    domains_[to].forest.unpack(values, order(), positions_);
    timer.lap(times.unpack);
    timer.finish();
    return parts(topology.sizes);
  }

  /// New forces on all particles of a domain, with what it took last.
  ForceCost force(std::size_t domain) {
    ForceCost cost;
    Timer timer(device_);
    solver_.find(domains_[domain].forest, present(domain, false), {all_, particles(domain).count},
                 bodies_.new_acceleration.data(), timer, cost);
    timer.finish();
    cost.counts = solver_.counted().get();
    prepare_to_give(domain);
    return cost;
  }

 private:
  struct Domain {
    Domain(Device& device, Cuts cuts) : forest(device, cuts) {}

    Forest<Device> forest;
    Buffer<Outline> outlines;
  };

  const Acceptance& acceptance() const { return solver_.settings().acceptance(); }
  Order order() const { return acceptance().order; }

  /// The tree of a domain and its particles.
  WholeTree<Device> whole(std::size_t domain) const {
    return {domains_[domain].forest.tree(), bodies_.predicted.data() + begins_[domain]};
  }
  /// Particles of a domain whose positions were taken last.
  Instant<Device> present(std::size_t domain, bool moved) {
    return {.time = 0,
            .moved = moved,
            .position = positions_,
            .old_acceleration = bodies_.acceleration.data() + begins_[domain]};
  }
  void take_positions(std::size_t domain) {
    const Range own = particles(domain);
    positions_.resize(own.count);
    copy(device_, bodies_.predicted.data() + own.first, own.count, positions_.data());
  }
  /// Brings the reach of cells to what others need before the trees are built anew.
  void prepare_to_give(std::size_t domain) {
    ForceCost cost;
    Timer timer(device_);
    domains_[domain].forest.refresh(present(domain, true), solver_.settings(), timer, cost);
    timer.finish();
  }

  /// Builds the tree of a domain.
  /// \returns its seconds
  double build(std::size_t domain, const Buffer<tree::Key>& keys, int repeats) {
    const Range own = particles(domain);
    const std::vector<tree::Key> own_keys = keys.downloaded(own.first, own.count);
    Buffer<float> softening(bodies_.softening != nullptr ? own.count : 0);
    if (bodies_.softening != nullptr) {
      copy(device_, bodies_.softening->data() + own.first, own.count, softening.data());
    }
    take_positions(domain);
    const auto builds = repeated(repeats, [&] {
      ForceCost cost;
      Timer timer(device_);
      domains_[domain].forest.restore(
          own_keys, {positions_, bodies_.softening != nullptr ? &softening : nullptr},
          solver_.settings().options(), timer, cost);
      timer.finish();
      return cost.build;
    });
    prepare_to_give(domain);
    return files::spread_of(builds).median;
  }
  /// \returns their seconds
  double find_outlines_of(std::size_t domain, float least, const OutlineMargin& margin,
                          int repeats) {
    const Range own = particles(domain);
    const auto times = repeated(repeats, [&] {
      return seconds_of(device_, [&] {
        find_outlines(device_, bodies_.predicted.data() + own.first,
                      bodies_.velocity.data() + own.first, bodies_.acceleration.data() + own.first,
                      own.count, least, margin, joining_, domains_[domain].outlines);
      });
    });
    return files::spread_of(times).median;
  }

  /// Empties the essential tree of a domain and works on all others.
  template <class Work>
  void for_each_other(std::size_t domain, Work work) {
    pruned_.clear(domain);
    for (std::size_t other = 0; other < size(); ++other) {
      if (other != domain) work(other);
    }
  }
  /// Prunes the tree of a domain for another, as the `k`-th essential tree.
  void prune(std::size_t k, std::size_t from, std::size_t to) {
    const Buffer<Outline>& outlines = domains_[to].outlines;
    pruned_.prune(k, domains_[from].forest.tree(), outlines.data(), std::uint32_t(outlines.size()),
                  acceptance());
  }

  EssentialParts parts(const std::vector<EssentialSize>& sizes) const {
    EssentialParts sum;
    for (const EssentialSize& size : sizes) {
      sum.cells += size.cells;
      sum.particles += size.particles;
      sum.value_bytes += EssentialValues::bytes(size, order());
      sum.topology_bytes += size.cells * (sizeof(std::uint32_t) + sizeof(Range));
      sum.opened += size.cells > 1 || size.particles > 0 ? 1 : 0;
    }
    return sum;
  }

  Device& device_;
  Bodies<Device>& bodies_;
  const std::uint32_t* all_;  ///< 0, 1, ...
  ForceSolver<Device> solver_;
  std::vector<std::uint32_t> begins_;
  std::deque<Domain> domains_;
  PrunedTrees<Device> pruned_;  ///< [domains] from or to each, of the last give() or take()
  Buffer<Vec4> positions_;      ///< of the domain that took last, and of others
  JoiningScratch<Device> joining_;
  double build_seconds_ = 0, outline_seconds_ = 0;
};

}  // namespace gothic::detail
