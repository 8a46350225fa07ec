#include "core/gravity/group_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/device/warps.hpp"
#include "tests/core/gravity/walks.hpp"

/// Whether the walk's stack has room for every tree.
namespace gothic {
namespace {

using namespace test;

constexpr std::uint32_t room = 3000;

struct Stack {
  std::uint32_t families[room + 32];
};

/// How high the stack was, and how many cells came off it.
struct StackUse {
  std::uint32_t highest, cells;
};

/// Opens all cells of a tree as the walk does.
struct OpenAll {
  const std::uint32_t* children;
  StackUse* out;
  template <class Warp>
  GOTHIC_HD void run(Stack& memory) const {
    FixedList<std::uint32_t> stack(memory.families);
    StackUse use{0, 0};
    typename Warp::Index cell{};
    int n = 1;
    for (;;) {
      const auto family = Warp::gather(children, cell);
      Warp::append(stack, Warp::first(n) && Warp::nonzero(family), family);
      use.cells += std::uint32_t(n);
      use.highest = stack.size() > use.highest ? stack.size() : use.highest;
      if (stack.size() == 0 || stack.size() > room - Warp::width) break;
      n = Warp::template take<Family>(stack, cell);
    }
    *out = use;
  }
};

/// Keys whose tree fills the stack of a warp of `width` lanes as far as possible: on every level of
/// the keys the last `width` cells, which are judged next, are divided into all their octants.
std::vector<std::uint64_t> keys_of_deepest_tree(std::size_t width) {
  constexpr int levels = tree::key_levels;
  std::vector<std::uint64_t> keys, inner{0};
  for (int level = 1; level <= levels; ++level) {
    std::vector<std::uint64_t> cells;
    for (const std::uint64_t parent : inner) {
      for (std::uint64_t octant = 0; octant < 8; ++octant) cells.push_back(parent << 3 | octant);
    }
    const std::size_t divided = level < levels ? std::min(width, cells.size()) : 0;
    inner.assign(cells.end() - std::ptrdiff_t(divided), cells.end());
    cells.resize(cells.size() - divided);
    for (const std::uint64_t cell : cells) keys.push_back(cell << 3 * (levels - level));
  }
  std::ranges::sort(keys);
  return keys;
}

/// The cell that has a key, by way of its octant on every level.
tree::CellCoordinates cell_of(tree::Key key) {
  tree::CellCoordinates cell;
  for (int shift = tree::key_levels - 1; shift >= 0; --shift) {
    for (std::uint32_t octant = 0; octant < 8; ++octant) {
      const tree::CellCoordinates child{cell.x | (octant >> 2) << shift,
                                        cell.y | (octant >> 1 & 1) << shift,
                                        cell.z | (octant & 1) << shift};
      if (tree::PeanoHilbert::encode(child) >> 3 * shift != key >> 3 * shift) continue;
      cell = child;
      break;
    }
  }
  return cell;
}

/// Particles in the cells that have these keys; no coordinate is rounded.
Sorted particles_of(const std::vector<std::uint64_t>& keys) {
  Sorted sorted{{}, keys};
  const auto coordinate = [](std::uint32_t cell) { return float((cell + 0.5) * 0x1p-20 - 1); };
  for (const std::uint64_t key : keys) {
    const auto cell = cell_of(key);
    sorted.particles.push_back({coordinate(cell.x), coordinate(cell.y), coordinate(cell.z),
                                float(1 / double(keys.size()))});
  }
  return sorted;
}

template <class Case>
class WalkStack : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;
  using Warp = typename Device::Warp;
  static constexpr std::uint32_t capacity = DepthFirst::Memory<Warp>::capacity;
  static_assert(capacity < room / 2, "an overflow must be seen");

  /// Opens all cells; none may be left out.
  StackUse use(const std::vector<std::uint64_t>& keys) {
    Tree<Device> tree;
    build(this->device, tree, keys, 1);
    levels = tree.levels();
    typename Device::template Buffer<StackUse> out(1);
    on_one_warp_with<Stack>(this->device, OpenAll{tree.children.data(), out.data()});
    const StackUse result = to_host(out)[0];
    EXPECT_EQ(result.cells, tree.cells());
    return result;
  }

  std::size_t levels = 0;  ///< levels of the last tree
};
TYPED_TEST_SUITE(WalkStack, Devices);

TYPED_TEST(WalkStack, HasRoomForTheDeepestTree) {
  const auto width = std::uint32_t(this->width);
  const StackUse use = this->use(keys_of_deepest_tree(width));
  EXPECT_EQ(this->levels, std::size_t(tree::key_levels) + 1);
  // A batch takes an eighth as many families as it leaves: the others stay, on every level.
  EXPECT_GT(use.highest, (width - width / 8) * 18);
  EXPECT_LE(use.highest, this->capacity);
}

TYPED_TEST(WalkStack, LosesNothingInTheDeepestTree) {
  const auto width = std::uint32_t(this->width);
  const auto sorted = particles_of(keys_of_deepest_tree(width));
  const auto n = std::uint64_t(sorted.keys.size());
  for (const std::uint32_t size : {1U, width}) {
    Walks<typename TestFixture::Device> walks(this->device, sorted, 1, size);
    const Walked all = walks.template in_groups<1>({Mac::opening, 1e-12F, 1});
    EXPECT_EQ(sum_of(all.interactions), n * n) << "groups of " << size;
    for (const std::uint64_t judged : all.cells_judged) ASSERT_EQ(judged, walks.cells());
    EXPECT_LT(percentile(errors_of(all.forces, walks.reference()), 0.99), 1e-5) << size;
    EXPECT_LT(percentile(errors_of(all.forces, walks.reference()), 1), 1e-3) << size;
  }
}

}  // namespace
}  // namespace gothic
