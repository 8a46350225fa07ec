#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "bench/system.hpp"
#include "bench/timing.hpp"
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
      n, 0.0, [=] GOTHIC_HD(std::size_t i) { return double(values[i]); },
      [] GOTHIC_HD(double a, double b) { return a + b; });
}

/// Positions after some time at the present velocities.
/// \param later [n] result
template <DeviceType Device>
void drift(const Device& device, const Vec4* position, const Vec4* velocity, std::uint32_t n,
           float time, Vec4* later) {
  device.for_each(n, [=] GOTHIC_HD(std::size_t i) {
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

/// Domains with a tree each. They pass essential trees to each other, and find forces with them, as
/// ranks do; see SharedTrees.
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
        acceptance_(system.settings().acceptance()),
        softening_(float(options.softening)),
        begins_(std::move(begins)),
        essential_(size()) {
    margin_.time = float(time);
    const double mass = mass_of(device, bodies_.predicted.data(), system.size());
    least_ = least_acceleration(acceptance_, float(mass), options.external.count == 0);
    for (std::size_t d = 0; d < size(); ++d) {
      add_domain(options, system.forest().keys(), repeats);
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
    EssentialParts given;
    Timer timer(device_);
    for (std::size_t to = 0; to < size(); ++to) {
      if (to == from) continue;
      given += prune(from, to);
      timer.lap(times.prune);
      pack(from);
      timer.lap(times.pack);
    }
    timer.finish();
    return given;
  }

  /// What a domain gets from all others; attaches that to its tree.
  /// \param times of attaching and unpacking are added
  EssentialParts take(std::size_t to, PassingTimes& times) {
    EssentialParts taken;
    std::vector<std::size_t> givers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
    for (std::size_t from = 0; from < size(); ++from) {
      if (from == to) continue;
      const EssentialParts parts = prune(from, to);
      taken += parts;
      if (parts.cells == 0) continue;
      givers.push_back(from);
      counts.emplace_back(parts.cells, parts.particles);
    }
    const Range own = particles(to);
    const auto nowhere = std::uint32_t(own.count + taken.particles);
    Tree<Device>& tree = domains_[to].forest.tree();
    positions_.resize(nowhere + 1);
    copy(device_, bodies_.predicted.data() + own.first, own.count, positions_.data());
    fill(device_, positions_.data() + nowhere, 1, unknown_source());
    Timer timer(device_);
    const std::vector<Attached> places = attach(tree, own.count, counts);
    tree.resize_moments(acceptance_.order);
    for (std::size_t k = 0; k < givers.size(); ++k) {
      const EssentialTree<Device>& essential = essential_[givers[k]];
      attach_topology(device_, tree, places[k], essential.children.data(), essential.ranges.data(),
                      nowhere);
    }
    timer.lap(times.attach);
    for (std::size_t k = 0; k < givers.size(); ++k) {
      const EssentialValues values = pack(givers[k]);
      timer.skip();
      attach_values(device_, tree, places[k], values, positions_.data());
      timer.lap(times.unpack);
    }
    timer.finish();
    return taken;
  }

  /// New forces on all particles of a domain, with what it took last.
  ForceCost force(std::size_t domain) {
    ForceCost cost;
    Timer timer(device_);
    ForceSolver<Device>& solver = domains_[domain].solver;
    Forest<Device>& forest = domains_[domain].forest;
    const Range own = particles(domain);
    solver.find(forest, {0, false, positions_, bodies_.acceleration.data() + own.first},
                {all_, own.count}, bodies_.new_acceleration.data(), timer, cost);
    timer.finish();
    cost.counts = solver.counted();
    find_reach(forest.tree());
    return cost;
  }
  /// How many particles lacked a part of another tree in the last force.
  std::uint32_t lacking(std::size_t domain) const {
    return count_lacking(device_, bodies_.new_acceleration.data(), all_, particles(domain).count);
  }

 private:
  struct Domain {
    ForceSolver<Device> solver;
    Forest<Device> forest;
    Buffer<Outline> outlines;
  };

  void add_domain(const ForceOptions& options, const Buffer<tree::Key>& keys, int repeats) {
    const Range own = particles(domains_.size());
    const bool low = !domains_.empty(), high = domains_.size() + 1 < size();
    domains_.push_back({ForceSolver<Device>(device_, options),
                        Forest<Device>(device_, one_rank(), {low, high}), Buffer<Outline>()});
    auto& [solver, forest, outlines] = domains_.back();
    const std::vector<tree::Key> own_keys = keys.downloaded(own.first, own.count);
    const ForceOptions& own_options = solver.settings().options();
    const auto builds = repeated(repeats, [&, &forest = forest] {
      ForceCost cost;
      Timer timer(device_);
      forest.restore(own_keys, own_options, timer, cost);
      timer.finish();
      return cost.build;
    });
    build_seconds_ += files::spread_of(builds).median;
    const Vec4* const position = bodies_.predicted.data() + own.first;
    with_order(acceptance_.order, [&, &tree = forest.tree()]<Order order>() {
      update_moments<order>(device_, tree, position);
    });
    enlarge_cut_cells(device_, forest.tree(), own.count, low, high);
    find_reach(forest.tree());
    const auto times = repeated(repeats, [&, &outlines = outlines] {
      return seconds_of(device_, [&] {
        find_outlines(device_, position, bodies_.velocity.data() + own.first,
                      bodies_.acceleration.data() + own.first, own.count, least_, margin_, joining_,
                      outlines);
      });
    });
    outline_seconds_ += files::spread_of(times).median;
  }

  /// As far as cells reach before the tree is built anew.
  void find_reach(Tree<Device>& tree) {
    update_acceptance(device_, tree, acceptance_, softening_,
                      SofteningTolerance::when(true, acceptance_));
  }

  /// Takes out of a domain's tree what another domain needs.
  EssentialParts prune(std::size_t from, std::size_t to) {
    const Tree<Device>& tree = domains_[from].forest.tree();
    const Buffer<Outline>& outlines = domains_[to].outlines;
    opened_.resize(tree.cells());
    fill(device_, opened_.data(), opened_.size(), std::uint8_t(0));
    if (tree.cells() > 0) {
      mark_opened(device_, tree, outlines.data(), std::uint32_t(outlines.size()), acceptance_,
                  opened_.data());
    }
    EssentialTree<Device>& essential = essential_[from];
    make_essential(device_, tree, opened_.data(), scratch_, essential);
    const std::size_t cells = essential.cells.size(), particles = essential.particles.size();
    return {.cells = cells,
            .particles = particles,
            .value_bytes = EssentialValues::bytes(particles, cells, acceptance_.order),
            .topology_bytes = cells * (sizeof(*essential.children.data()) + sizeof(Range)),
            .opened = cells > 1 || particles > 0 ? 1U : 0U};
  }

  /// The present values of what was taken out of a domain's tree last.
  EssentialValues pack(std::size_t from) {
    const EssentialTree<Device>& essential = essential_[from];
    const std::size_t cells = essential.cells.size(), particles = essential.particles.size();
    values_.resize(EssentialValues::bytes(particles, cells, acceptance_.order));
    const auto values = EssentialValues::in(values_.data(), particles, cells, acceptance_.order);
    if (cells > 0) {
      pack_values(device_, domains_[from].forest.tree(), bodies_.predicted.data() + begins_[from],
                  essential, values);
    }
    return values;
  }

  Device& device_;
  Bodies<Device>& bodies_;
  const std::uint32_t* all_;  ///< 0, 1, ...
  Acceptance acceptance_;
  float softening_, least_ = 0;  ///< the latter see make_outlines
  OutlineMargin margin_ = usual_margin;
  std::vector<std::uint32_t> begins_;
  std::deque<Domain> domains_;
  std::vector<EssentialTree<Device>> essential_;  ///< [domains] that of each owner, taken out last
  Buffer<Vec4> positions_;                        ///< of the domain that took last, and of others
  PruningScratch<Device> scratch_;
  JoiningScratch<Device> joining_;
  Buffer<std::uint8_t> opened_;  ///< scratch
  Buffer<std::byte> values_;     ///< scratch
  double build_seconds_ = 0, outline_seconds_ = 0;
};

}  // namespace gothic::detail
