#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "core/ranks/attached_trees.hpp"
#include "core/ranks/pruned_trees.hpp"
#include "tests/core/gravity/walks.hpp"

/// Forces on the particles of one domain from its own tree and the essential trees of others.
namespace gothic {
namespace {

using namespace test;

constexpr std::uint32_t group_size = 8, block = 64;

/// A range of the sorted particles with its own tree.
template <class Device>
class Domain {
 public:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  Domain(Device& device, const Sorted& all, const std::vector<Vec4>& forces, std::size_t begin,
         std::size_t end, const Acceptance& acceptance)
      : device_(device), acceptance_(acceptance), n_(std::uint32_t(end - begin)) {
    const auto part = [=](const auto& values) {
      return std::vector(values.begin() + std::ptrdiff_t(begin),
                         values.begin() + std::ptrdiff_t(end));
    };
    build(device, tree_, part(all.keys), 16);
    position_ = to_device<Device>(part(all.particles));
    old_ = to_device<Device>(part(forces));
    targets_ = to_device<Device>(numbers(n_));
    make_groups(device, groups_, n_, group_size);
    update_moments<highest_order>(device, tree_, position_.data());
    find_reach();
  }

  /// Outlines of all particles, in blocks.
  Buffer<Outline> outlines(OutlineMargin margin) {
    Buffer<Outline> result(outline_count(n_, block));
    make_outlines(device_, position_.data(), nullptr, old_.data(), n_, block, least_share, margin,
                  result.data());
    return result;
  }

  /// Prunes the tree for those who have these outlines, as the `k`-th of several trees.
  void prune_for(const Buffer<Outline>& outlines, std::size_t k,
                 PrunedTrees<Device>& pruned) const {
    pruned.prune(k, tree_, outlines.data(), std::uint32_t(outlines.size()), acceptance_);
  }

  /// Attaches the essential trees of others.
  /// \param owners [trees] of the pruned trees
  void attach(PrunedTrees<Device>& pruned, const std::deque<Domain>& owners) {
    AttachedTrees<Device> attached;
    attached.attach(device_, tree_, n_, pruned.pack_topology());
    auto& values = pruned.pack_values(highest_order, [&](std::size_t k) -> WholeTree<Device> {
      return {owners[k].tree_, owners[k].position_.data()};
    });
    attached.unpack(device_, tree_, values, highest_order, position_);
    find_reach();
  }

  std::vector<Vec4> forces() {
    PreparedWalk<Device> prepared(tree_, groups_, position_.data(), old_.data(), targets_.data(),
                                  n_, groups_.count + 1);
    prepared.data.acceptance = acceptance_;
    prepared.data.group_size = group_size;
    walk<Lengths::equal>(device_, Root::newton, prepared.data);
    device_.synchronize();
    return to_host(prepared.forces);
  }

  std::size_t cells() const { return tree_.cells(); }
  std::size_t all_cells() const { return tree_.all_cells(); }

 private:
  void find_reach() {
    update_acceptance(device_, tree_, acceptance_, SofteningBounds::of_equal(softening),
                      SofteningTolerance::when(false, acceptance_));
  }

  Device& device_;
  Acceptance acceptance_;
  std::uint32_t n_;
  Tree<Device> tree_;
  Groups<Device> groups_;
  Buffer<Vec4> position_, old_;
  Buffer<std::uint32_t> targets_;
};

template <class Case>
class EssentialTrees : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  Sorted sorted = sorted_by_key(cuspy_sphere(6007));
  std::vector<Force> reference = summed(sorted.particles);

  /// Forces found by domains that have equal numbers of particles.
  /// \param cells_attached cells of the essential trees, over the cells of the whole trees
  std::vector<Vec4> forces(std::size_t domains, const Acceptance& acceptance,
                           OutlineMargin margin = {}, double* cells_attached = nullptr) {
    const std::vector<Vec4> old = in_single(reference);
    std::deque<Domain<Device>> parts;
    for (std::size_t d = 0; d < domains; ++d) {
      const std::size_t n = old.size();
      parts.emplace_back(this->device, sorted, old, n * d / domains, n * (d + 1) / domains,
                         acceptance);
    }
    std::vector<Vec4> result;
    std::size_t attached = 0, whole = 0;
    for (std::size_t d = 0; d < domains; ++d) {
      PrunedTrees<Device> others(this->device, domains);
      for (std::size_t other = 0; other < domains; ++other) {
        if (other == d) continue;
        parts[other].prune_for(parts[d].outlines(margin), other, others);
        whole += parts[other].cells();
      }
      parts[d].attach(others, parts);
      attached += parts[d].all_cells() - parts[d].cells();
      const std::vector<Vec4> own = parts[d].forces();
      result.insert(result.end(), own.begin(), own.end());
    }
    if (cells_attached != nullptr) *cells_attached = double(attached) / double(whole);
    return result;
  }
};
TYPED_TEST_SUITE(EssentialTrees, Devices);

TYPED_TEST(EssentialTrees, GiveForcesAsExactAsOneTree) {
  for (const Acceptance& acceptance : {Acceptance{Mac::acceleration, 0x1p-7F, 1, Order::quadrupole},
                                       Acceptance{Mac::acceleration, 0x1p-9F, 1, Order::octupole},
                                       Acceptance{Mac::multipole, 0x1p-6F, 1, Order::quadrupole},
                                       Acceptance{Mac::opening, 0.6F, 1, Order::point}}) {
    const auto one = errors_of(this->forces(1, acceptance), this->reference);
    for (const std::size_t domains : {2U, 3U, 7U}) {
      SCOPED_TRACE(std::to_string(domains) + " domains");
      const auto several = errors_of(this->forces(domains, acceptance), this->reference);
      EXPECT_NEAR(percentile(several, 0.5) / percentile(one, 0.5), 1, 0.1);
      EXPECT_NEAR(percentile(several, 0.99) / percentile(one, 0.99), 1, 0.1);
      EXPECT_TRUE(std::isfinite(percentile(several, 1)));
    }
  }
}

TYPED_TEST(EssentialTrees, AreFoundForBallsThatAreJoinedUnlessTheCurveJumps) {
  using Device = typename TestFixture::Device;
  constexpr std::uint32_t size = 64, joined = 4, n = 3 * size * joined + 10;
  constexpr float distance = 100;
  Random random(5);
  std::vector<Vec4> positions, accelerations;
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool is_far = i >= 320 && i < 384;
    positions.push_back({float(random.uniform()) + (is_far ? distance : 0), float(random.uniform()),
                         float(random.uniform()), 1});
    accelerations.push_back({float(1 + random.uniform()), 0, 0, -1});
  }
  const auto position = to_device<Device>(positions),
             acceleration = to_device<Device>(accelerations);
  JoiningScratch<Device> scratch;
  scratch.fine.resize(outline_count(n, size));
  make_outlines(this->device, position.data(), nullptr, acceleration.data(), n, size, 0, {},
                scratch.fine.data());
  typename Device::template Buffer<Outline> outlines;
  join_outlines(this->device, joined, scratch, outlines);
  this->device.synchronize();
  const std::vector<Outline> found = to_host(outlines);
  EXPECT_EQ(found.size(),
            3 + joined);  // balls of 256, 256 and 10 particles, and the four of the second 256
  for (std::uint32_t i = 0; i < n; ++i) {
    const Vec4 r = positions[i];
    EXPECT_TRUE(std::ranges::any_of(found, [&](const Outline& ball) {
      return std::hypot(r.x - ball.x, r.y - ball.y, r.z - ball.z) <= ball.radius &&
             ball.acceleration <= accelerations[i].x;
    }));
  }
}

TYPED_TEST(EssentialTrees, MayBeMoreThanAWarpHasLanes) {
  const Acceptance acceptance{Mac::acceleration, 0x1p-7F, 1, Order::quadrupole};
  const auto one = errors_of(this->forces(1, acceptance), this->reference),
             many = errors_of(this->forces(80, acceptance), this->reference);
  EXPECT_LT(percentile(many, 0.99) / percentile(one, 0.99), 1.3);
  EXPECT_LT(percentile(many, 1) / percentile(one, 1), 2);
}

TYPED_TEST(EssentialTrees, AreSmallerThanWholeOnes) {
  double fine = 0, coarse = 0;
  this->forces(7, {Mac::acceleration, 0x1p-7F, 1, Order::quadrupole}, {}, &fine);
  this->forces(7, {Mac::acceleration, 0x1p-1F, 1, Order::quadrupole}, {}, &coarse);
  EXPECT_LT(fine, 0.95);
  EXPECT_LT(coarse, 0.9 * fine);
  EXPECT_GT(coarse, 0.01);
}

TYPED_TEST(EssentialTrees, NeverLackASourceInSilence) {
  // Outlines that enclose a part of the particles alone ask for too little.
  const Acceptance acceptance{Mac::acceleration, 0x1p-7F, 1, Order::quadrupole};
  const auto exact = this->forces(3, acceptance);
  const auto found = this->forces(3, acceptance, {.radius = -0.9F, .acceleration = -1});
  std::size_t lacking = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i].x)) {
      ++lacking;
      EXPECT_TRUE(std::isnan(found[i].w));
    } else {
      EXPECT_EQ(found[i].x, exact[i].x);
    }
  }
  EXPECT_GT(lacking, 0U);
  EXPECT_LT(lacking, found.size());
}

}  // namespace
}  // namespace gothic
