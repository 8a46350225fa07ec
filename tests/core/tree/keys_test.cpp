#include "core/tree/keys.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "core/device/vec4.hpp"

namespace gothic::tree {
namespace {

using Cell = CellCoordinates;
constexpr std::uint32_t last_cell = (1U << key_levels) - 1;

/// The bits of x, y and z in turn, one level after the other.
Key morton_bit_by_bit(Cell cell) {
  Key key = 0;
  for (int level = key_levels - 1; level >= 0; --level) {
    for (const std::uint32_t coordinate : {cell.x, cell.y, cell.z}) {
      key = key << 1 | (coordinate >> level & 1);
    }
  }
  return key;
}

/// The Peano-Hilbert key: on each level the rank of the octant, then the frame of the curve's copy
/// in it (Miki & Umemura 2017, appendix A, after Lam & Shapiro 1994).
Key hilbert_bit_by_bit(Cell cell) {
  Key key = 0;
  for (int level = key_levels - 1; level >= 0; --level) {
    const std::uint32_t octant =
        (cell.x >> level & 1) << 2 | (cell.y >> level & 1) << 1 | (cell.z >> level & 1);
    constexpr std::uint32_t ranks[] = {0, 1, 3, 2, 7, 6, 4, 5};
    key = key << 3 | ranks[octant];
    if (curve::mirrored_x >> octant & 1) cell.x = ~cell.x;
    if (curve::mirrored_y >> octant & 1) cell.y = ~cell.y;
    if (curve::mirrored_z >> octant & 1) cell.z = ~cell.z;
    if (octant % 2 == 1) {
      cell = {cell.y, cell.z, cell.x};
    } else if (octant % 4 == 0) {
      cell = {cell.z, cell.y, cell.x};
    }
  }
  return key;
}

/// Random cells, and the cells of a coarse grid at both ends of the levels.
std::vector<Cell> samples() {
  std::mt19937 generator(20170401);
  std::uniform_int_distribution<std::uint32_t> coordinate(0, last_cell);
  std::vector<Cell> cells;
  for (int i = 0; i < 100000; ++i) {
    cells.push_back({coordinate(generator), coordinate(generator), coordinate(generator)});
  }
  for (std::uint32_t i = 0; i < 1U << 15; ++i) {
    const Cell cell{i >> 10, i >> 5 & 31, i & 31};
    cells.push_back(cell);
    cells.push_back({cell.x << 16, cell.y << 16, cell.z << 16});
  }
  return cells;
}

TEST(Keys, AreThoseMadeBitByBit) {
  for (const Cell cell : samples()) {
    ASSERT_EQ(Morton::encode(cell), morton_bit_by_bit(cell));
    ASSERT_EQ(PeanoHilbert::encode(cell), hilbert_bit_by_bit(cell));
  }
}

/// Each cell of a grid with 2^level cells a side, by its corner, at the index that is the upper
/// bits of its Peano-Hilbert key.
std::vector<Cell> grid_in_order(int level) {
  const std::uint32_t side = 1U << level;
  const int shift = key_levels - level;
  std::vector<Cell> cells(std::size_t(1) << 3 * level, Cell{last_cell, last_cell, last_cell});
  for (std::uint32_t x = 0; x < side; ++x) {
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t z = 0; z < side; ++z) {
        const Key key = PeanoHilbert::encode({x << shift, y << shift, z << shift});
        cells.at(key >> 3 * shift) = {x, y, z};
      }
    }
  }
  return cells;
}

int distance(Cell a, Cell b) {
  const auto along = [](std::uint32_t p, std::uint32_t q) { return std::abs(int(p) - int(q)); };
  return along(a.x, b.x) + along(a.y, b.y) + along(a.z, b.z);
}

TEST(PeanoHilbert, VisitsTheCellsOfEveryGridOneFaceNeighbourAfterTheOther) {
  for (int level = 1; level <= 6; ++level) {
    const std::vector<Cell> cells = grid_in_order(level);
    EXPECT_EQ(cells.front(), (Cell{0, 0, 0}));
    EXPECT_EQ(cells.back(), (Cell{(1U << level) - 1, 0, 0})) << "the far corner along x";
    for (std::size_t i = 1; i < cells.size(); ++i) {
      ASSERT_EQ(distance(cells[i], cells[i - 1]), 1) << "level " << level << " key " << i;
    }
  }
}

/// The child of a cell has the cell's key as a prefix.
TEST(PeanoHilbert, KeyOfAnAncestorIsAPrefix) {
  const std::vector<Cell> cells = samples();
  for (std::size_t i = 0; i < cells.size(); i += 50) {
    const Cell cell = cells[i];
    const Key key = PeanoHilbert::encode(cell);
    for (int shift = 0; shift <= key_levels; ++shift) {
      const Cell corner{cell.x >> shift << shift, cell.y >> shift << shift,
                        cell.z >> shift << shift};
      ASSERT_EQ(PeanoHilbert::encode(corner) >> 3 * shift, key >> 3 * shift);
    }
  }
}

TEST(KeyCube, IsTheSmallestAroundItsBox) {
  const KeyCube cube = KeyCube::around({-1, 2, 0}, {1, 3, 0.5F});
  EXPECT_EQ(cube.locate(-1, 2, 0), (Cell{0, 0, 0}));
  const Cell corner = cube.locate(1, 3, 0.5F);
  EXPECT_EQ(corner.x, last_cell);
  EXPECT_EQ(corner.y, 1U << (key_levels - 1));
  EXPECT_EQ(corner.z, 1U << (key_levels - 2));
}

TEST(KeyCube, PutsPositionsOutsideIntoTheNearestCell) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = NAN;
  const KeyCube cube = KeyCube::around({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(cube.locate(-1, 2, 0.5F), (Cell{0, last_cell, (last_cell + 1) / 2}));
  EXPECT_EQ(cube.locate(infinity, -infinity, 1), (Cell{last_cell, 0, last_cell}));
  EXPECT_EQ(cube.locate(1e30F, -1e30F, nan), (Cell{last_cell, 0, 0}));
}

TEST(KeyCube, OfOnePointHasOneCell) {
  const float point[3] = {0.3F, -8, 1e6F};
  EXPECT_EQ(KeyCube::around(point, point).locate(0.3F, -8, 1e6F), (Cell{0, 0, 0}));
}

TEST(KeyCube, CellsGrowWithThePosition) {
  const KeyCube cube = KeyCube::around({-1.7F, 0, 0}, {0.9F, 1, 1});
  std::uint32_t previous = 0;
  for (int i = 0; i <= 100000; ++i) {
    const std::uint32_t cell = cube.locate(-1.7F + 2.6F * float(i) / 100000, 0, 0).x;
    ASSERT_GE(cell, previous);
    previous = cell;
  }
  EXPECT_GE(previous, last_cell - 1);
}

TEST(KeyCube, GivesPositionsTogetherTheKeysOfEachAlone) {
  const KeyCube cube{{-1, -1, -1}, 1 << 20};
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> coordinate(-1.1F, 1.1F);
  for (const std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    std::vector<Vec4> positions(count);
    for (Vec4& p : positions) p = {coordinate(generator), coordinate(generator), 0.3F};
    std::vector<Key> keys(count);
    encode_positions<PeanoHilbert>(
        cube, [&](std::size_t i) { return positions[i]; }, count, keys.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Vec4 p = positions[i];
      ASSERT_EQ(keys[i], PeanoHilbert::encode(cube.locate(p.x, p.y, p.z)));
    }
  }
}

}  // namespace
}  // namespace gothic::tree
