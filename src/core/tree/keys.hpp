#pragma once

#include <cstddef>
#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/tree/key_tables.hpp"

/// Keys of space-filling curves: the order of particles in memory, and the octree's cells.
///
/// A cube is divided `key_levels` times into octants. A key appends three bits per level, the
/// coarsest level first, so that the key of a cell's ancestor is a prefix of the cell's own key and
/// an octree cell is a contiguous range of keys. All functions run on the host and on the GPU.
namespace gothic::tree {

using Key = std::uint64_t;
inline constexpr int key_levels = 21;
inline constexpr int key_bits = 3 * key_levels;

/// Integer position of a cell on the finest level, each in [0, 2^key_levels).
struct CellCoordinates {
  std::uint32_t x = 0, y = 0, z = 0;
  bool operator==(const CellCoordinates&) const = default;
};

/// The cube that the keys divide.
struct KeyCube {
  float origin[3];         ///< lower corner
  float cells_per_length;  ///< finest cells along a unit of length

  /// The smallest cube around the box [low, high] that shares its lower corner. A box without
  /// extent gives a cube whose every position lies in cell (0, 0, 0).
  GOTHIC_HD static KeyCube around(const float (&low)[3], const float (&high)[3]) {
    float edge = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float extent = high[axis] - low[axis];
      edge = extent > edge ? extent : edge;
    }
    constexpr float cells = 1U << key_levels;
    return {{low[0], low[1], low[2]}, edge > 0 ? cells / edge : 0};
  }

  /// The finest cell that holds a position. Positions outside the cube, on its upper faces or
  /// pushed there by rounding belong to the nearest cell; NaN belongs to cell 0. Monotonic in each
  /// coordinate.
  GOTHIC_HD CellCoordinates locate(float x, float y, float z) const {
    return {clamped_cell((x - origin[0]) * cells_per_length),
            clamped_cell((y - origin[1]) * cells_per_length),
            clamped_cell((z - origin[2]) * cells_per_length)};
  }

 private:
  GOTHIC_HD static std::uint32_t clamped_cell(float cell) {
    constexpr float last = (1U << key_levels) - 1;
    const float inside = cell > 0 ? cell : 0.0F;
    // Through a signed integer, which every machine converts in one instruction.
    return std::uint32_t(std::int32_t(inside < last ? inside : last));
  }
};

/// Morton curve: the bits of x, y, z in turn. Cheaper than Peano-Hilbert, but with jumps.
struct Morton {
  /// Key of a cell.
  GOTHIC_HD static Key encode(CellCoordinates cell) {
    return spread(cell.x) << 2 | spread(cell.y) << 1 | spread(cell.z);
  }
  /// The key itself; see PeanoHilbert::from_morton.
  GOTHIC_HD static Key from_morton(Key morton) { return morton; }

 private:
  /// Moves bit i to bit 3 i: in runs of 16, 8, 4, 2 and 1 bits.
  GOTHIC_HD static Key spread(std::uint32_t value) {
    Key bits = value & ((1U << key_levels) - 1);
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
  }
};

/// Peano-Hilbert curve: cells with consecutive keys share a face.
struct PeanoHilbert {
  /// Key of a cell.
  GOTHIC_HD static Key encode(CellCoordinates cell) { return from_morton(Morton::encode(cell)); }

  /// Key of the cell that has the key `morton` on the Morton curve; three levels per table lookup.
  GOTHIC_HD static Key from_morton(Key morton) {
    static constexpr curve::EncodeTable table = curve::make_encode_table();
    static_assert(key_levels % curve::levels_per_lookup == 0);
    Key key = 0;
    std::uint32_t entry = 0;
    for (int lookup = key_levels / curve::levels_per_lookup - 1; lookup >= 0; --lookup) {
      const auto cell = static_cast<std::uint32_t>(morton >> (curve::lookup_bits * lookup));
      entry = table.entry[(entry & ~curve::lookup_mask) | (cell & curve::lookup_mask)];
      key = key << curve::lookup_bits | (entry & curve::lookup_mask);
    }
    return key;
  }
};

/// Keys of `count` positions; `position(i)` returns the i-th, with members x, y and z. They are
/// made in blocks of `block`.
///
/// The same keys as `Curve::encode(cube.locate(...))` one by one, in half the time on a CPU: the
/// loop up to the Morton key runs in vector registers, the loop of table lookups cannot.
template <class Curve, std::size_t block = 64, class PositionAt>
GOTHIC_HD void encode_positions(const KeyCube& cube, PositionAt position, std::size_t count,
                                Key* keys) {
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t size = count - first < block ? count - first : block;
    Key morton[block];
    for (std::size_t i = 0; i < size; ++i) {
      const auto at = position(first + i);
      morton[i] = Morton::encode(cube.locate(at.x, at.y, at.z));
    }
    for (std::size_t i = 0; i < size; ++i) keys[first + i] = Curve::from_morton(morton[i]);
  }
}

}  // namespace gothic::tree
