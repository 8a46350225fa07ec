#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/tree/key_tables.hpp"

/// Keys of space-filling curves: the order of particles in memory, and the octree's cells.
///
/// A cube is divided `key_levels<Key>` times into octants. A key appends three bits per level, the
/// coarsest level first, so that the key of a cell's ancestor is a prefix of the cell's own key and
/// an octree cell is a contiguous range of keys. All functions run on the host and on the GPU.
namespace gothic::tree {

/// 64-bit keys hold 21 levels, 32-bit keys 10.
template <class Key>
concept KeyType = std::same_as<Key, std::uint64_t> || std::same_as<Key, std::uint32_t>;

template <KeyType Key>
inline constexpr int key_levels = sizeof(Key) == 8 ? 21 : 10;

/// Number of bits that a key uses: 63 or 30.
template <KeyType Key>
inline constexpr int key_bits = 3 * key_levels<Key>;

/// Integer position of a cell on the finest level, each in [0, 2^key_levels).
struct CellCoordinates {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  bool operator==(const CellCoordinates&) const = default;
};

/// Key of the ancestor at `level` (0: the whole cube) of the finest cell that has `key`.
template <KeyType Key>
GOTHIC_HD constexpr Key key_prefix(Key key, int level) {
  return key >> (3 * (key_levels<Key> - level));
}

/// The cube that the keys divide. Real is float or double.
template <std::floating_point Real>
struct KeyCube {
  Real origin[3];         ///< lower corner
  Real cells_per_length;  ///< finest cells along a unit of length

  /// The smallest cube around the box [low, high] that shares its lower corner. A box without
  /// extent gives a cube whose every position lies in cell (0, 0, 0).
  template <KeyType Key>
  GOTHIC_HD static KeyCube around(const Real (&low)[3], const Real (&high)[3]) {
    Real edge = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Real extent = high[axis] - low[axis];
      edge = extent > edge ? extent : edge;
    }
    const Real cells = static_cast<Real>(std::uint32_t{1} << key_levels<Key>);
    return {{low[0], low[1], low[2]}, edge > 0 ? cells / edge : 0};
  }

  /// The finest cell that holds a position. Positions outside the cube, on its upper faces or
  /// pushed there by rounding belong to the nearest cell; NaN belongs to cell 0. Monotonic in each
  /// coordinate.
  template <KeyType Key>
  GOTHIC_HD CellCoordinates locate(Real x, Real y, Real z) const {
    return {clamped_cell<Key>((x - origin[0]) * cells_per_length),
            clamped_cell<Key>((y - origin[1]) * cells_per_length),
            clamped_cell<Key>((z - origin[2]) * cells_per_length)};
  }

 private:
  template <KeyType Key>
  GOTHIC_HD static std::uint32_t clamped_cell(Real cell) {
    constexpr Real last = static_cast<Real>((std::uint32_t{1} << key_levels<Key>)-1);
    const Real inside = cell > 0 ? cell : Real(0);
    // Through a signed integer, which every machine converts in one instruction.
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(inside < last ? inside : last));
  }
};

/// Morton curve: the bits of x, y, z in turn. Cheaper than Peano-Hilbert, but with jumps.
struct Morton {
  /// Key of a cell.
  template <KeyType Key>
  GOTHIC_HD static constexpr Key encode(CellCoordinates cell) {
    return spread<Key>(cell.x) << 2 | spread<Key>(cell.y) << 1 | spread<Key>(cell.z);
  }

  /// The key itself; see PeanoHilbert::from_morton.
  template <KeyType Key>
  GOTHIC_HD static constexpr Key from_morton(Key morton) {
    return morton;
  }

  /// The cell that has `key`; the inverse of `encode`.
  template <KeyType Key>
  GOTHIC_HD static constexpr CellCoordinates decode(Key key) {
    return {gather<Key>(key >> 2), gather<Key>(key >> 1), gather<Key>(key)};
  }

 private:
  // Masks of every third bit, in runs of 16, 8, 4, 2 and 1; cut off above the key's last level.
  static constexpr std::uint64_t runs_of_16 = 0x001f00000000ffff;
  static constexpr std::uint64_t runs_of_8 = 0x001f0000ff0000ff;
  static constexpr std::uint64_t runs_of_4 = 0x100f00f00f00f00f;
  static constexpr std::uint64_t runs_of_2 = 0x10c30c30c30c30c3;
  static constexpr std::uint64_t runs_of_1 = 0x1249249249249249;

  /// Moves bit i to bit 3 i.
  template <KeyType Key>
  GOTHIC_HD static constexpr Key spread(std::uint32_t value) {
    Key bits = value & ((1u << key_levels<Key>)-1);
    if constexpr (sizeof(Key) == 8) bits = (bits | bits << 32) & runs_of_16;
    bits = (bits | bits << 16) & static_cast<Key>(runs_of_8);
    bits = (bits | bits << 8) & static_cast<Key>(runs_of_4);
    bits = (bits | bits << 4) & static_cast<Key>(runs_of_2);
    return (bits | bits << 2) & static_cast<Key>(runs_of_1);
  }

  /// Moves bit 3 i to bit i.
  template <KeyType Key>
  GOTHIC_HD static constexpr std::uint32_t gather(Key bits) {
    bits &= static_cast<Key>(runs_of_1);
    bits = (bits | bits >> 2) & static_cast<Key>(runs_of_2);
    bits = (bits | bits >> 4) & static_cast<Key>(runs_of_4);
    bits = (bits | bits >> 8) & static_cast<Key>(runs_of_8);
    bits = (bits | bits >> 16) & static_cast<Key>(runs_of_16);
    if constexpr (sizeof(Key) == 8) bits |= bits >> 32;
    return static_cast<std::uint32_t>(bits & ((Key{1} << key_levels<Key>)-1));
  }
};

/// Peano-Hilbert curve: cells with consecutive keys share a face.
struct PeanoHilbert {
  /// Key of a cell.
  template <KeyType Key>
  GOTHIC_HD static Key encode(CellCoordinates cell) {
    return from_morton(Morton::encode<Key>(cell));
  }

  /// Key of the cell that has the key `morton` on the Morton curve; three levels per table lookup.
  template <KeyType Key>
  GOTHIC_HD static Key from_morton(Key morton) {
    static constexpr curve::EncodeTable table = curve::make_encode_table();
    constexpr int lookups = (key_levels<Key> + 2) / curve::levels_per_lookup;
    // Levels above the coarsest one count as lower octants. Two of them leave the orientation as it
    // is.
    static_assert((curve::levels_per_lookup * lookups - key_levels<Key>) % 2 == 0);
    Key key = 0;
    std::uint32_t entry = 0;
    for (int lookup = lookups - 1; lookup >= 0; --lookup) {
      const auto cell = static_cast<std::uint32_t>(morton >> (curve::lookup_bits * lookup));
      entry = table.entry[(entry & ~curve::lookup_mask) | (cell & curve::lookup_mask)];
      key = key << curve::lookup_bits | (entry & curve::lookup_mask);
    }
    return key;
  }

  /// The same key, one level after the other: the definition that `encode` is tested against.
  template <KeyType Key>
  GOTHIC_HD static constexpr Key encode_bitwise(CellCoordinates cell) {
    Key key = 0;
    for (int level = key_levels<Key> - 1; level >= 0; --level) {
      const std::uint32_t octant =
          (cell.x >> level & 1) << 2 | (cell.y >> level & 1) << 1 | (cell.z >> level & 1);
      key = key << 3 | curve::rank_of_octant(octant);
      cell.x ^= 0u - (curve::mirrored_x >> octant & 1);
      cell.y ^= 0u - (curve::mirrored_y >> octant & 1);
      cell.z ^= 0u - (curve::mirrored_z >> octant & 1);
      switch (curve::turn_in(octant)) {
        case curve::Turn::none:
          break;
        case curve::Turn::swap_x_and_z:
          cell = {cell.z, cell.y, cell.x};
          break;
        case curve::Turn::cycle:
          cell = {cell.y, cell.z, cell.x};
          break;
      }
    }
    return key;
  }

  /// The cell that has `key`; the inverse of `encode`.
  template <KeyType Key>
  GOTHIC_HD static CellCoordinates decode(Key key) {
    static constexpr curve::DecodeTable table = curve::make_decode_table();
    CellCoordinates cell;
    std::uint32_t entry = 0;
    for (int level = key_levels<Key> - 1; level >= 0; --level) {
      const auto rank = static_cast<std::uint32_t>(key >> (3 * level)) & 7;
      entry = table.entry[(entry & ~7u) | rank];
      cell = {cell.x << 1 | (entry >> 2 & 1), cell.y << 1 | (entry >> 1 & 1),
              cell.z << 1 | (entry & 1)};
    }
    return cell;
  }
};

/// Keys of `count` positions; `position(i)` returns the i-th, with members x, y and z. They are
/// made in blocks of `block`.
///
/// The same keys as `Curve::encode(cube.locate(...))` one by one, in half the time on a CPU: the
/// loop up to the Morton key runs in vector registers, that of the table lookups cannot.
template <class Curve, KeyType Key, std::size_t block = 64, std::floating_point Real,
          class PositionAt>
GOTHIC_HD void encode_positions(const KeyCube<Real>& cube, PositionAt position, std::size_t count,
                                Key* keys) {
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t size = count - first < block ? count - first : block;
    Key morton[block];
    for (std::size_t i = 0; i < size; ++i) {
      const auto at = position(first + i);
      morton[i] = Morton::encode<Key>(cube.template locate<Key>(at.x, at.y, at.z));
    }
    for (std::size_t i = 0; i < size; ++i) keys[first + i] = Curve::from_morton(morton[i]);
  }
}

}  // namespace gothic::tree
