#include "core/tree/tree.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "tests/core/tree/trees.hpp"

namespace gothic {
namespace {

using namespace test;

template <class Case>
class Trees : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  Topology built(const Sorted& sorted, std::uint32_t leaf_capacity) {
    Tree<Device> tree;
    build(this->device, tree, sorted.keys, leaf_capacity);
    return Topology(tree);
  }
};
TYPED_TEST_SUITE(Trees, Devices);

struct Sample {
  std::string name;
  MassPoints particles;
};

std::vector<Sample> samples() {
  return {{"uniform", uniform_cube(20000)},
          {"cuspy", cuspy_sphere(20000)},
          {"coincident", coincident(500)},
          {"two points", two_points(501)},
          {"half in a point", half_in_a_point(2000)},
          {"collinear", collinear(3000)},
          {"one", uniform_cube(1)},
          {"two", uniform_cube(2)},
          {"nine", uniform_cube(9)}};
}

/// Cells are stored level by level. Each cell but the root is the child of one cell on the level
/// above.
void expect_levels(const Topology& tree) {
  ASSERT_GE(tree.level.size(), 2U);
  EXPECT_EQ(tree.level[0], 0U);
  EXPECT_EQ(tree.level[1], 1U);
  EXPECT_EQ(tree.level.back(), tree.cells());
  std::uint32_t next_child = 1;
  for (std::size_t l = 0; l + 1 < tree.level.size(); ++l) {
    ASSERT_LT(tree.level[l], tree.level[l + 1]);
    ASSERT_EQ(next_child, tree.level[l + 1]);
    for (std::uint32_t cell = tree.level[l]; cell < tree.level[l + 1]; ++cell) {
      if (tree.is_leaf(cell)) continue;
      ASSERT_EQ(tree.children[cell].first, next_child) << "cell " << cell;
      next_child += tree.children[cell].count;
    }
  }
  EXPECT_EQ(next_child, tree.cells());
}

/// The particles of the children are the particles of their parent, in order.
void expect_partition(const Topology& tree, std::uint32_t n) {
  EXPECT_EQ(tree.particles[0].first, 0U);
  EXPECT_EQ(tree.particles[0].count, n);
  for (std::uint32_t cell = 0; cell < tree.cells(); ++cell) {
    const Range own = tree.particles[cell], children = tree.children[cell];
    ASSERT_GE(own.count, 1U);
    if (tree.is_leaf(cell)) continue;
    std::uint32_t next = own.first;
    for (std::uint32_t child = children.first; child < children.first + children.count; ++child) {
      ASSERT_EQ(tree.particles[child].first, next) << "child " << child << " of cell " << cell;
      next += tree.particles[child].count;
    }
    ASSERT_EQ(next, own.first + own.count) << "cell " << cell;
  }
}

/// A cell is divided if it has more particles than the capacity and its keys differ. It then has 2
/// to 8 children.
void expect_division(const Topology& tree, const std::vector<tree::Key>& keys,
                     std::uint32_t capacity) {
  for (std::uint32_t cell = 0; cell < tree.cells(); ++cell) {
    const Range own = tree.particles[cell];
    const bool one_key = keys[own.first] == keys[own.first + own.count - 1];
    ASSERT_EQ(tree.is_leaf(cell), own.count <= capacity || one_key) << "cell " << cell;
    if (tree.is_leaf(cell)) continue;
    ASSERT_GE(tree.children[cell].count, 2U) << "cell " << cell;
    ASSERT_LE(tree.children[cell].count, 8U) << "cell " << cell;
  }
}

/// Siblings are the octants of the smallest cube that holds all particles of their parent.
void expect_octants(const Topology& tree, const std::vector<tree::Key>& keys) {
  for (std::uint32_t cell = 0; cell < tree.cells(); ++cell) {
    if (tree.is_leaf(cell)) continue;
    const Range own = tree.particles[cell], children = tree.children[cell];
    const auto common = [&](int level) {
      return key_prefix(keys[own.first], level) ==
             key_prefix(keys[own.first + own.count - 1], level);
    };
    int level = 0;
    while (common(level)) ++level;
    for (std::uint32_t child = children.first; child < children.first + children.count; ++child) {
      const Range part = tree.particles[child];
      const tree::Key octant = key_prefix(keys[part.first], level);
      ASSERT_EQ(key_prefix(keys[part.first + part.count - 1], level), octant);
      if (child == children.first) continue;
      ASSERT_NE(key_prefix(keys[part.first - 1], level), octant) << "cell " << cell;
    }
  }
}

void expect_invariants(const Topology& tree, const Sorted& sorted, std::uint32_t capacity) {
  const auto n = std::uint32_t(sorted.keys.size());
  EXPECT_LT(tree.cells(), 2 * n);
  EXPECT_EQ(tree.children.size(), tree.particles.size());
  ASSERT_NO_FATAL_FAILURE(expect_levels(tree));
  ASSERT_NO_FATAL_FAILURE(expect_partition(tree, n));
  ASSERT_NO_FATAL_FAILURE(expect_division(tree, sorted.keys, capacity));
  ASSERT_NO_FATAL_FAILURE(expect_octants(tree, sorted.keys));
}

TEST(Families, AreUnpackedAsTheyWerePacked) {
  for (std::uint32_t first = 1; first < Family::most_cells - 8; first = 2 * first + first % 3) {
    for (std::uint32_t count = 2; count <= 8; ++count) {
      const std::uint32_t packed = Family::pack({first, count});
      EXPECT_NE(packed, 0U);
      EXPECT_EQ(Family::range(packed).first, first);
      EXPECT_EQ(Family::range(packed).count, count);
    }
  }
  const Range last = Family::range(Family::pack({Family::most_cells - 2, 2}));
  EXPECT_EQ(last.first, Family::most_cells - 2);
  EXPECT_EQ(last.count, 2U);
  EXPECT_EQ(Family::range(0).count, 0U) << "a leaf";
}

TYPED_TEST(Trees, KeepTheirInvariantsForEveryLeafCapacity) {
  for (const Sample& sample : samples()) {
    const Sorted sorted = sorted_by_key(sample.particles);
    for (const std::uint32_t capacity : {1, 2, 3, 8, 16, 32, 64}) {
      SCOPED_TRACE(sample.name + ", leaf capacity " + std::to_string(capacity));
      expect_invariants(this->built(sorted, capacity), sorted, capacity);
    }
  }
}

TYPED_TEST(Trees, KeepTheirInvariantsForAnyNumberOfParticles) {
  for (const std::size_t n : this->sizes()) {
    if (n == 0 || n > 10000) continue;
    SCOPED_TRACE(n);
    const auto sorted = sorted_by_key(cuspy_sphere(n));
    expect_invariants(this->built(sorted, 4), sorted, 4);
  }
}

TYPED_TEST(Trees, JoinLevelsThatWouldHaveSingleChildren) {
  // Two pairs that the last level of the keys divides, in opposite corners of the cube.
  const std::uint64_t last = (std::uint64_t(1) << 63) - 1;
  const Sorted sorted{MassPoints(4), {0, 1, last - 1, last}};
  const Topology tree = this->built(sorted, 1);
  EXPECT_EQ(tree.level, (std::vector<std::uint32_t>{0, 1, 3, 7}));
}

TYPED_TEST(Trees, DivideKeysThatDifferInTheirLastBitsOnly) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t octant = 0; octant < 8; ++octant) keys.push_back((5ULL << 60) | octant);
  const Topology tree = this->built(Sorted{MassPoints(8), keys}, 1);
  EXPECT_EQ(tree.cells(), 9U);
  EXPECT_EQ(tree.children[0].count, 8U);
}

TYPED_TEST(Trees, DoNotDependOnWhatTheirMemoryHeldBefore) {
  using Device = typename TestFixture::Device;
  Tree<Device> reused;
  build(this->device, reused, sorted_by_key(uniform_cube(5000)).keys, 1);
  const auto sorted = sorted_by_key(cuspy_sphere(1000));
  build(this->device, reused, sorted.keys, 8);
  const Topology tree(reused);
  ASSERT_EQ(tree.level, this->built(sorted, 8).level);
  expect_invariants(tree, sorted, 8);
  for (const std::size_t cells : {reused.center.size(), reused.size.size(), reused.reach.size()}) {
    EXPECT_EQ(cells, tree.cells());
  }
}

}  // namespace
}  // namespace gothic
