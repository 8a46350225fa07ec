#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/gravity/group_box.hpp"
#include "core/gravity/walk_on.hpp"
#include "core/tree/groups.hpp"
#include "core/tree/moments.hpp"
#include "tests/core/gravity/forces.hpp"
#include "tests/core/tree/trees.hpp"

/// Walks of a tree in every way that the templates allow.
namespace gothic::test {

/// What walks found: forces in the order of the tree, and counts of every group or bundle.
struct Walked {
  std::vector<Vec4> forces;
  std::vector<std::uint64_t> interactions, cells_judged;
  PerOrder<std::vector<std::uint64_t>> pairs;
};

/// A walk for targets in a tree, with space for its results. The caller chooses the criterion and
/// the sizes of groups.
template <class Device>
struct PreparedWalk {
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  /// \param n number of particles
  /// \param tasks number of tasks of the walk
  PreparedWalk(const Tree<Device>& tree, const Groups<Device>& groups, const Vec4* position,
               const Vec4* old_acceleration, const std::uint32_t* targets, std::size_t n,
               std::uint32_t tasks)
      : forces(n), counts(tasks), parts(2 * n) {
    data = {.tree = tree.view(),
            .position = position,
            .old_acceleration = old_acceleration,
            .targets = targets,
            .groups = groups.ranges.data(),
            .group_count = groups.count,
            .balls = nullptr,
            .acceleration = forces.data(),
            .counts = counts.data(),
            .acceptance = {},
            .softening = softening,
            .has_external = false,
            .group_size = 0,
            .neighbours = {},
            .list_capacity = Device::Defaults::list_capacity,
            .split_ratio = 8,
            .deepest_cell = tree.level[tree.levels() - 1],
            .parts = parts.data()};
  }

  Buffer<Vec4> forces;
  Buffer<WalkCount> counts;
  Buffer<Range> parts;
  WalkData data;
};

inline std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
}

/// Deviations of the forces of one walk from the forces of another.
inline std::vector<double> differences(const Walked& a, const Walked& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.forces.size(); ++i) {
    const Vec4 other = b.forces[i];
    result.push_back(error_of(a.forces[i], {other.x, other.y, other.z, other.w}));
  }
  return result;
}

/// Expects forces that differ by the rounding of sums only.
inline void expect_same_forces(const Walked& found, const Walked& expected) {
  EXPECT_LT(percentile(differences(found, expected), 0.99), 1e-5);
  EXPECT_LT(percentile(differences(found, expected), 1), 1e-3);
}

/// Expects walks that met the same cells.
inline void expect_same(const Walked& found, const Walked& expected) {
  EXPECT_EQ(found.interactions, expected.interactions);
  for (int order = 0; order < order_count; ++order) {
    EXPECT_EQ(found.pairs[Order(order)], expected.pairs[Order(order)]) << "order " << order;
  }
  EXPECT_EQ(found.cells_judged, expected.cells_judged);
  expect_same_forces(found, expected);
}

/// Calls check(acceptance) for every criterion, coarse and fine, and every order.
template <class Check>
void for_each_acceptance(Check check) {
  for (Acceptance acceptance :
       {Acceptance{Mac::acceleration, 0x1p-4F, 1}, Acceptance{Mac::acceleration, 0x1p-9F, 1},
        Acceptance{Mac::multipole, 0x1p-4F, 1}, Acceptance{Mac::multipole, 0x1p-9F, 1},
        Acceptance{Mac::opening, 0.8F, 1}, Acceptance{Mac::opening, 0.4F, 1}}) {
    for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
      acceptance.order = order;
      SCOPED_TRACE("criterion " + std::to_string(int(acceptance.mac)) + ", " +
                   std::to_string(acceptance.accuracy) + ", order " + std::to_string(int(order)));
      check(acceptance);
    }
  }
}

/// Opens every cell that has an extent.
inline constexpr Acceptance nothing{Mac::opening, 1e-6F, 1};

/// A tree with moments and groups, ready to be walked.
template <class Device>
class Walks {
 public:
  Walks(Device& device, const MassPoints& particles, std::uint32_t leaf_capacity,
        std::uint32_t group_size)
      : Walks(device, sorted_by_key(particles), leaf_capacity, group_size) {}

  Walks(Device& device, Sorted sorted, std::uint32_t leaf_capacity, std::uint32_t group_size)
      : device_(device), sorted_(std::move(sorted)) {
    const auto n = std::uint32_t(sorted_.keys.size());
    build(device, tree_, sorted_.keys, leaf_capacity);
    position_ = to_device<Device>(sorted_.particles);
    targets_ = to_device<Device>(numbers(n));
    make_groups(device, groups_, n, group_size);
    update_moments<highest_order>(device, tree_, position_.data());
    reference_ = summed(sorted_.particles);
    old_ = to_device<Device>(in_single(reference_));
  }

  std::uint32_t cells() const { return tree_.cells(); }
  std::uint32_t groups() const { return groups_.count; }
  const Tree<Device>& tree() const { return tree_; }
  const MassPoints& particles() const { return sorted_.particles; }
  std::vector<Range> ranges() const { return to_host(groups_.ranges); }
  /// Forces from sums over all pairs, in the order of the tree.
  const std::vector<Force>& reference() const { return reference_; }

  /// Puts the targets in random order, so that groups are as wide as can be.
  void shuffle_targets() {
    std::vector<std::uint32_t> order = numbers(particles().size());
    Random random(15);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.below(std::uint32_t(i))]);
    }
    targets_ = to_device<Device>(order);
  }

  /// Makes targets only of the particles between two distances from the origin.
  void keep_shell(double inner, double outer, std::uint32_t group_size) {
    std::vector<std::uint32_t> inside;
    for (std::uint32_t i = 0; i < particles().size(); ++i) {
      const double r = distance(particles()[i], Vec4{});
      if (r >= inner && r < outer) inside.push_back(i);
    }
    targets_ = to_device<Device>(inside);
    make_groups(device_, groups_, std::uint32_t(inside.size()), group_size);
  }

  /// Gives the particles softening lengths of their own, which change along the curve.
  void soften_differently() {
    std::vector<float> own;
    for (std::size_t i = 0; i < particles().size(); ++i) {
      own.push_back(i % 3 == 0 || i % 100 < 50 ? 4 * softening : softening);
    }
    const auto length = to_device<Device>(own);
    share_softening(device_, tree_, length.data(), position_.data(), std::uint32_t(own.size()));
    bounds_ = {softening_share(softening), softening_share(4 * softening)};
  }

  /// Walks group by group, with K particles per lane; `sharing` lanes share a particle.
  /// \param way through the tree
  template <int K, Lengths lengths = Lengths::equal, class Way = DepthFirst>
  Walked in_groups(const Acceptance& acceptance, int sharing = 1, float split_ratio = 0,
                   const Neighbourhood& neighbours = {}, const Way& way = {}) {
    const auto group_size = std::uint32_t(K * Device::Warp::width / sharing);
    Walked result = walked(acceptance, groups_.count + 1, group_size, split_ratio, neighbours,
                           [&]<Order order>(const WalkData& data) {
                             walk_groups<K, Root::newton, order, lengths>(device_, data, way);
                           });
    // The counts of the parts of groups are added to the first group.
    const auto join = [](std::vector<std::uint64_t>& counts) {
      counts.front() += counts.back();
      counts.pop_back();
    };
    join(result.interactions);
    join(result.cells_judged);
    for (auto& pairs : result.pairs.value) join(pairs);
    return result;
  }

  /// Walks in bundles of B groups; on the CPU only.
  template <int K, int B, Lengths lengths = Lengths::equal>
  Walked in_bundles(const Acceptance& acceptance, int sharing = 1, float split_ratio = 0,
                    const Neighbourhood& neighbours = {}) {
    const auto group_size = std::uint32_t(K * Device::Warp::width / sharing);
    return walked(acceptance, bundle_count<B>(groups_.count), group_size, split_ratio, neighbours,
                  [&]<Order order>(const WalkData& data) {
                    walk_bundles<K, B, Root::newton, order, lengths>(device_, data);
                  });
  }

  std::uint32_t list_capacity = Device::Defaults::list_capacity;  ///< capacity in the next walks

 private:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  template <class Walk>
  Walked walked(const Acceptance& acceptance, std::uint32_t tasks, std::uint32_t group_size,
                float split_ratio, const Neighbourhood& neighbours, Walk walk) {
    update_acceptance(device_, tree_, acceptance, bounds_,
                      SofteningTolerance::when(false, acceptance));
    PreparedWalk<Device> prepared(tree_, groups_, position_.data(), old_.data(), targets_.data(),
                                  position_.size(), tasks);
    WalkData& data = prepared.data;
    data.acceptance = acceptance;
    data.group_size = group_size;
    data.neighbours = neighbours;
    data.list_capacity = list_capacity;
    data.split_ratio = split_ratio;
    with_order(acceptance.order, [&]<Order order>() { walk.template operator()<order>(data); });
    device_.synchronize();
    Walked result{to_host(prepared.forces), {}, {}, {}};
    for (const WalkCount& count : to_host(prepared.counts)) {
      result.interactions.push_back(count.interactions());
      for (int order = 0; order < order_count; ++order) {
        result.pairs[Order(order)].push_back(count.pairs[Order(order)]);
      }
      result.cells_judged.push_back(count.cells_judged);
    }
    return result;
  }

  Device& device_;
  Sorted sorted_;
  std::vector<Force> reference_;
  Tree<Device> tree_;
  Groups<Device> groups_;
  Buffer<Vec4> position_, old_;
  Buffer<std::uint32_t> targets_;
  SofteningBounds bounds_ = SofteningBounds::of_equal(softening);
};

}  // namespace gothic::test
