#include "core/tree/keys.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace gothic::tree {
namespace {

using Cell = CellCoordinates;

int distance(Cell a, Cell b) {
  const auto along = [](std::uint32_t p, std::uint32_t q) {
    return std::abs(static_cast<int>(p) - static_cast<int>(q));
  };
  return along(a.x, b.x) + along(a.y, b.y) + along(a.z, b.z);
}

template <class Key>
std::vector<Cell> random_cells(int count) {
  std::mt19937 generator(20170401);
  std::uniform_int_distribution<std::uint32_t> coordinate(0, (1u << key_levels<Key>)-1);
  std::vector<Cell> cells;
  cells.reserve(count);
  for (int i = 0; i < count; ++i) {
    cells.push_back({coordinate(generator), coordinate(generator), coordinate(generator)});
  }
  return cells;
}

/// Every cell of a grid with 2^level cells a side, as a function of the cell's coordinates there.
template <class Function>
void for_each_cell(int level, Function function) {
  const std::uint32_t side = 1u << level;
  for (std::uint32_t x = 0; x < side; ++x) {
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t z = 0; z < side; ++z) function(Cell{x, y, z});
    }
  }
}

/// A finest cell inside the cell `coarse` of `level`, at its lower corner.
template <class Key>
Cell refined(Cell coarse, int level) {
  const int shift = key_levels<Key> - level;
  return {coarse.x << shift, coarse.y << shift, coarse.z << shift};
}

struct Hilbert64 {
  using Curve = PeanoHilbert;
  using Key = std::uint64_t;
};
struct Hilbert32 {
  using Curve = PeanoHilbert;
  using Key = std::uint32_t;
};
struct Morton64 {
  using Curve = Morton;
  using Key = std::uint64_t;
};
struct Morton32 {
  using Curve = Morton;
  using Key = std::uint32_t;
};

template <class T>
class Keys : public testing::Test {};
using Curves = testing::Types<Hilbert64, Hilbert32, Morton64, Morton32>;
TYPED_TEST_SUITE(Keys, Curves);

template <class T>
class PeanoHilbertKeys : public testing::Test {};
using KeyTypes = testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(PeanoHilbertKeys, KeyTypes);

TYPED_TEST(Keys, CellsOfAGridHaveEachKeyOnce) {
  using Key = typename TypeParam::Key;
  for (int level = 1; level <= 5; ++level) {
    std::vector<int> visits(std::size_t{1} << (3 * level));
    for_each_cell(level, [&](Cell cell) {
      const Key key = TypeParam::Curve::template encode<Key>(refined<Key>(cell, level));
      ++visits.at(key_prefix(key, level));
    });
    for (const int count : visits) ASSERT_EQ(count, 1) << "level " << level;
  }
}

TYPED_TEST(Keys, DecodeInvertsEncode) {
  using Key = typename TypeParam::Key;
  for (const Cell cell : random_cells<Key>(100000)) {
    const Key key = TypeParam::Curve::template encode<Key>(cell);
    ASSERT_LT(key, Key{1} << key_bits<Key>);
    ASSERT_EQ(TypeParam::Curve::template decode<Key>(key), cell);
  }
}

TYPED_TEST(Keys, EncodeInvertsDecode) {
  using Key = typename TypeParam::Key;
  std::mt19937_64 generator(5);
  for (int i = 0; i < 100000; ++i) {
    const Key key = static_cast<Key>(generator()) & ((Key{1} << key_bits<Key>)-1);
    ASSERT_EQ(TypeParam::Curve::template encode<Key>(TypeParam::Curve::template decode<Key>(key)),
              key);
  }
}

TYPED_TEST(Keys, KeyOfAncestorIsAPrefix) {
  using Key = typename TypeParam::Key;
  for (const Cell cell : random_cells<Key>(2000)) {
    const Key key = TypeParam::Curve::template encode<Key>(cell);
    for (int level = 0; level <= key_levels<Key>; ++level) {
      const int shift = key_levels<Key> - level;
      const Cell corner{cell.x >> shift << shift, cell.y >> shift << shift,
                        cell.z >> shift << shift};
      ASSERT_EQ(key_prefix(TypeParam::Curve::template encode<Key>(corner), level),
                key_prefix(key, level));
    }
  }
}

TYPED_TEST(Keys, ShortKeyIsTheTopOfTheLongOne) {
  using Curve = typename TypeParam::Curve;
  for (const Cell cell : random_cells<std::uint64_t>(10000)) {
    const Cell coarse{cell.x >> 11, cell.y >> 11, cell.z >> 11};
    const auto key = Curve::template encode<std::uint64_t>(cell);
    ASSERT_EQ(Curve::template encode<std::uint32_t>(coarse), key_prefix(key, 10));
  }
}

TYPED_TEST(Keys, CurveStartsAtTheOrigin) {
  using Key = typename TypeParam::Key;
  EXPECT_EQ(TypeParam::Curve::template encode<Key>(Cell{0, 0, 0}), 0u);
}

TYPED_TEST(PeanoHilbertKeys, TableAgreesWithBitByBitOnAGrid) {
  for_each_cell(5, [](Cell cell) {
    const Cell fine = refined<TypeParam>(cell, 5);
    ASSERT_EQ(PeanoHilbert::encode<TypeParam>(fine), PeanoHilbert::encode_bitwise<TypeParam>(fine));
    ASSERT_EQ(PeanoHilbert::encode<TypeParam>(cell), PeanoHilbert::encode_bitwise<TypeParam>(cell));
  });
}

TYPED_TEST(PeanoHilbertKeys, TableAgreesWithBitByBitAtRandomCells) {
  for (const Cell cell : random_cells<TypeParam>(100000)) {
    ASSERT_EQ(PeanoHilbert::encode<TypeParam>(cell), PeanoHilbert::encode_bitwise<TypeParam>(cell));
  }
}

TYPED_TEST(PeanoHilbertKeys, NeighbouringKeysAreFaceNeighboursOnAGrid) {
  for (int level = 1; level <= 5; ++level) {
    const int shift = key_levels<TypeParam> - level;
    Cell previous;
    for (TypeParam key = 0; key < TypeParam{1} << (3 * level); ++key) {
      const Cell fine = PeanoHilbert::decode<TypeParam>(key << (3 * shift));
      const Cell cell{fine.x >> shift, fine.y >> shift, fine.z >> shift};
      if (key > 0) {
        ASSERT_EQ(distance(cell, previous), 1) << "level " << level << " key " << key;
      }
      previous = cell;
    }
  }
}

TYPED_TEST(PeanoHilbertKeys, NeighbouringKeysAreFaceNeighboursOnTheFinestLevel) {
  constexpr TypeParam last = (TypeParam{1} << key_bits<TypeParam>)-1;
  std::mt19937_64 generator(7);
  std::vector<TypeParam> keys;
  for (int i = 0; i < 100000; ++i) keys.push_back(static_cast<TypeParam>(generator()) & last);
  // Where the curve leaves one large cell for the next.
  for (int level = 1; level <= key_levels<TypeParam>; ++level) {
    for (TypeParam rank = 1; rank < 8; ++rank) {
      keys.push_back((rank << (3 * (key_levels<TypeParam> - level))) - 1);
    }
  }
  for (const TypeParam key : keys) {
    if (key == last) continue;
    ASSERT_EQ(distance(PeanoHilbert::decode<TypeParam>(key),
                       PeanoHilbert::decode<TypeParam>(static_cast<TypeParam>(key + 1))),
              1)
        << key;
  }
}

TEST(PeanoHilbert, FollowsTheGrayCodeOnTheCoarsestLevel) {
  const std::array<Cell, 8> order{
      {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}, {1, 0, 0}}};
  for (std::uint64_t rank = 0; rank < order.size(); ++rank) {
    const auto key = PeanoHilbert::encode<std::uint64_t>(refined<std::uint64_t>(order[rank], 1));
    EXPECT_EQ(key_prefix(key, 1), rank);
  }
}

TEST(PeanoHilbert, CurveEndsAtTheFarCornerAlongX) {
  constexpr std::uint64_t last = (std::uint64_t{1} << key_bits<std::uint64_t>)-1;
  EXPECT_EQ(PeanoHilbert::decode<std::uint64_t>(last), (Cell{(1u << 21) - 1, 0, 0}));
}

template <class Key>
Key interleaved_bit_by_bit(Cell cell) {
  Key key = 0;
  for (int level = key_levels<Key> - 1; level >= 0; --level) {
    key = key << 1 | (cell.x >> level & 1);
    key = key << 1 | (cell.y >> level & 1);
    key = key << 1 | (cell.z >> level & 1);
  }
  return key;
}

TYPED_TEST(PeanoHilbertKeys, MortonInterleavesTheBits) {
  for (const Cell cell : random_cells<TypeParam>(100000)) {
    ASSERT_EQ(Morton::encode<TypeParam>(cell), interleaved_bit_by_bit<TypeParam>(cell));
  }
}

template <class T>
class KeyCubes : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(KeyCubes, Reals);

TYPED_TEST(KeyCubes, CornersFallIntoTheFirstAndTheLastCell) {
  const TypeParam low[3] = {-3, TypeParam(0.1), 7};
  const TypeParam high[3] = {TypeParam(-2.9), 5, 8};
  const auto cube = KeyCube<TypeParam>::template around<std::uint64_t>(low, high);
  const std::uint32_t last = (1u << 21) - 1;
  EXPECT_EQ(cube.template locate<std::uint64_t>(low[0], low[1], low[2]), (Cell{0, 0, 0}));
  const Cell corner = cube.template locate<std::uint64_t>(high[0], high[1], high[2]);
  EXPECT_EQ(corner.y, last);
  EXPECT_LT(corner.x, last / 10);
  EXPECT_LT(corner.z, last / 2);
}

TYPED_TEST(KeyCubes, PositionsOutsideFallIntoTheNearestCell) {
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  const KeyCube<TypeParam> cube{{0, 0, 0}, 1024};
  const std::uint32_t last = 1023;
  EXPECT_EQ(cube.template locate<std::uint32_t>(-1, 2, TypeParam(0.5)), (Cell{0, last, 512}));
  EXPECT_EQ(cube.template locate<std::uint32_t>(infinity, -infinity, 1), (Cell{last, 0, last}));
  EXPECT_EQ(cube.template locate<std::uint32_t>(std::nextafter(TypeParam(1), TypeParam(0)), 0, 0),
            (Cell{last, 0, 0}));
  EXPECT_EQ(cube.template locate<std::uint32_t>(TypeParam(1e30), TypeParam(-1e30), 0),
            (Cell{last, 0, 0}));
}

TYPED_TEST(KeyCubes, NanFallsIntoTheFirstCell) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const KeyCube<TypeParam> cube{{0, 0, 0}, 1024};
  EXPECT_EQ(cube.template locate<std::uint32_t>(nan, nan, nan), (Cell{0, 0, 0}));
}

TYPED_TEST(KeyCubes, CoincidentPositionsShareACell) {
  const TypeParam point[3] = {TypeParam(0.3), TypeParam(-8), TypeParam(1e6)};
  const auto cube = KeyCube<TypeParam>::template around<std::uint64_t>(point, point);
  EXPECT_EQ(cube.template locate<std::uint64_t>(point[0], point[1], point[2]), (Cell{0, 0, 0}));
}

TYPED_TEST(KeyCubes, PositionsTogetherGetTheKeysOfEachAlone) {
  struct Position {
    TypeParam x, y, z;
  };
  const KeyCube<TypeParam> cube{{-1, -1, -1}, TypeParam(1 << 20)};
  std::mt19937 generator(3);
  std::uniform_real_distribution<TypeParam> coordinate(TypeParam(-1.1), TypeParam(1.1));
  for (const std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    std::vector<Position> positions(count);
    for (Position& p : positions) {
      p = {coordinate(generator), coordinate(generator), coordinate(generator)};
    }
    const auto position = [&](std::size_t i) { return positions[i]; };
    std::vector<std::uint64_t> keys(count);
    encode_positions<PeanoHilbert>(cube, position, count, keys.data());
    for (std::size_t i = 0; i < count; ++i) {
      const auto [x, y, z] = positions[i];
      ASSERT_EQ(keys[i],
                PeanoHilbert::encode<std::uint64_t>(cube.template locate<std::uint64_t>(x, y, z)));
    }
  }
}

TYPED_TEST(KeyCubes, CellsGrowWithThePosition) {
  const TypeParam low[3] = {TypeParam(-1.7), 0, 0};
  const TypeParam high[3] = {TypeParam(0.9), 1, 1};
  const auto cube = KeyCube<TypeParam>::template around<std::uint64_t>(low, high);
  std::uint32_t previous = 0;
  for (int i = 0; i <= 100000; ++i) {
    const auto x = low[0] + (high[0] - low[0]) * TypeParam(i) / 100000;
    const std::uint32_t cell = cube.template locate<std::uint64_t>(x, 0, 0).x;
    ASSERT_GE(cell, previous);
    previous = cell;
  }
  EXPECT_EQ(previous, (1u << 21) - 1);
}

}  // namespace
}  // namespace gothic::tree
