#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paper/breadth_first.hpp"
#include "paper/exact_sizes.hpp"
#include "paper/force_variant.hpp"
#include "paper/published_parts.hpp"
#include "tests/core/gravity/walks.hpp"

/// Parts of the published algorithm beside their definitions and beside the usual algorithm.
namespace gothic {
namespace {

using namespace test;

template <class Case>
class Published : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;
  using Warp = typename Device::Warp;
  using Buffer = typename Device::template Buffer<std::uint32_t>;

  /// A buffer of pieces of so many families more than the least.
  BreadthFirst way(std::uint32_t more) {
    const std::uint32_t piece = BreadthFirst::reserve<Warp> + 1 + more;
    buffer_.resize(2 * this->device.warps() * piece);
    return {buffer_.data(), piece};
  }

  /// Particles with their tree and its moments to some order.
  struct Sphere {
    Sorted sorted;
    typename Device::template Buffer<Vec4> position;
    Tree<Device> tree;
  };
  template <Order order>
  Sphere measured_sphere() {
    Sphere sphere{sorted_by_key(cuspy_sphere(5000)), {}, {}};
    sphere.position = to_device<Device>(sphere.sorted.particles);
    build(this->device, sphere.tree, sphere.sorted.keys, 4);
    update_moments<order>(this->device, sphere.tree, sphere.position.data());
    return sphere;
  }

 private:
  Buffer buffer_;
};
TYPED_TEST_SUITE(Published, Devices);

/// Whatever the room: pieces that are never used, and pieces that are full at once.
TYPED_TEST(Published, WalkByLevelsMeetsTheSameCells) {
  using Device = typename TestFixture::Device;
  Walks<Device> walks(this->device, cuspy_sphere(8000), 8, std::uint32_t(this->width));
  walks.list_capacity = std::uint32_t(this->width);
  for_each_acceptance([&](const Acceptance& acceptance) {
    const Walked expected = walks.template in_groups<1>(acceptance);
    for (const std::uint32_t more : {0U, 100000U}) {
      expect_same(walks.template in_groups<1>(acceptance, 1, 0, {}, this->way(more)), expected);
    }
  });
}

TYPED_TEST(Published, WalkByLevelsLosesNothingWhereItOpensAll) {
  using Device = typename TestFixture::Device;
  const std::uint32_t n = 4000;
  Walks<Device> walks(this->device, cuspy_sphere(n), 1, std::uint32_t(this->width));
  for (const std::uint32_t more : {0U, 1000U, 100000U}) {
    const Walked all = walks.template in_groups<1>(nothing, 1, 0, {}, this->way(more));
    EXPECT_EQ(sum_of(all.interactions), std::uint64_t(n) * n) << more;
    for (const std::uint64_t judged : all.cells_judged) ASSERT_EQ(judged, walks.cells());
  }
}

TYPED_TEST(Published, SizesAreTheLargestDistances) {
  auto [sorted, position, tree] = this->template measured_sphere<Order::point>();
  const std::vector<float> bounds = to_host(tree.size);
  typename TestFixture::Device::template Buffer<float> exact;
  measure_exactly(this->device, tree, position.data(), exact);
  const auto sizes = to_host(tree.size);
  const auto centers = to_host(tree.center);
  const auto ranges = to_host(tree.particles);
  std::size_t smaller = 0;
  for (std::size_t cell = 0; cell < sizes.size(); ++cell) {
    double farthest = 0;
    for (std::uint32_t k = 0; k < ranges[cell].count; ++k) {
      farthest =
          std::max(farthest, distance(sorted.particles[ranges[cell].first + k], centers[cell]));
    }
    EXPECT_NEAR(sizes[cell], farthest, 4e-6 * farthest) << cell;
    EXPECT_LE(sizes[cell], bounds[cell] * (1 + 2e-6F));
    smaller += sizes[cell] < 0.99F * bounds[cell] ? 1 : 0;
  }
  EXPECT_GT(smaller, sizes.size() / 10);
}

/// The published criterion is all that decides: a cell acts from R_J s_I on, even inside b_J.
TYPED_TEST(Published, CriteriaHaveNoLeastDistances) {
  auto sphere = this->template measured_sphere<Order::octupole>();
  auto& tree = sphere.tree;
  for (Acceptance acceptance : {Acceptance{Mac::acceleration, 0x1p-7F, 1},
                                Acceptance{Mac::acceleration, 0x1p-7F, 1, Order::point}}) {
    const auto reaches = [&](bool has_bounds) {
      acceptance.has_bounds = has_bounds;
      update_acceptance(this->device, tree, acceptance, SofteningBounds::of_equal(softening),
                        SofteningTolerance::when(true, acceptance));
      return to_host(tree.reach);
    };
    const auto with = reaches(true), without = reaches(false);
    for (std::size_t cell = 0; cell < with.size(); ++cell) {
      EXPECT_EQ(without[cell].x, with[cell].x);
      EXPECT_EQ(without[cell].z, with[cell].z);
      EXPECT_EQ(without[cell].y, 0);
      EXPECT_EQ(without[cell].w, 0);
    }
    EXPECT_GT(with[0].y, 0);
    EXPECT_GT(least_acceleration(Acceptance{}, 1, true), 0);
    acceptance.has_bounds = false;
    EXPECT_EQ(least_acceleration(acceptance, 1, true), 0);
  }
}

TYPED_TEST(Published, ForcesAreAsAccurateAsTheCriterionAsks) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-8F);
  options.acceptance.order = Order::point;
  options.acceptance.has_bounds = false;
  options.group_size = published_group;
  options.split_ratio = 0;
  const auto& sphere = summed_sphere();
  const auto pairs_with = [&](const ForceVariant& variant) {
    options.variation = variation(variant);
    SolverAndParticles<Device> tree(this->device, options, sphere.particles);
    const auto errors = errors_of(tree.with_old(sphere.forces).evaluate(), sphere.forces);
    EXPECT_LT(percentile(errors, 0.99), 0x1.8p-8);
    return tree.cost.counts.interactions();
  };
  const std::uint64_t usual = pairs_with({}), by_levels = pairs_with({.breadth_first = true});
  EXPECT_EQ(usual, by_levels);
  EXPECT_LT(pairs_with({.exact_sizes = true}), usual);
}

}  // namespace
}  // namespace gothic
