#pragma once

#include <array>
#include <cstdint>

/// Orientations of the Peano-Hilbert curve and the lookup tables made from them at compile time.
///
/// The curve fills a cube by visiting its eight octants in Gray-code order and fills each octant
/// with a turned or mirrored copy of itself. An octant is numbered by its upper halves, 4 for x, 2
/// for y, 1 for z, and the octant numbers below are numbers in the copy's own frame. Curve: Miki &
/// Umemura (2017), appendix A, after Lam & Shapiro (1994).
namespace gothic::tree::curve {

/// Place of an octant along the curve: the inverse of the Gray code x, x^y, x^y^z.
constexpr std::uint32_t rank_of_octant(std::uint32_t octant) {
  return octant ^ (octant >> 1) ^ (octant >> 2);
}

/// Whether an axis is mirrored inside an octant: bit `octant` of one mask per axis.
inline constexpr std::uint32_t mirrored_x = 0b10110000;
inline constexpr std::uint32_t mirrored_y = 0b11100100;
inline constexpr std::uint32_t mirrored_z = 0b01010100;

/// The axes of an octant's copy, as axes of the curve around it.
constexpr std::array<int, 3> axes_in(std::uint32_t octant) {
  if (octant & 1) return {1, 2, 0};
  return octant & 2 ? std::array{0, 1, 2} : std::array{2, 1, 0};
}

/// A copy's frame: its axis i is the cube's axis `axis[i]`, reversed where `mirrored[i]`.
struct Orientation {
  int axis[3] = {0, 1, 2};
  bool mirrored[3] = {false, false, false};
  bool operator==(const Orientation&) const = default;

  /// Number of the cube's octant `octant` in this frame.
  constexpr std::uint32_t octant_inside(std::uint32_t octant) const {
    std::uint32_t inside = 0;
    for (int i = 0; i < 3; ++i) {
      const bool upper = (octant >> (2 - axis[i])) & 1;
      inside = 2 * inside + (upper != mirrored[i]);
    }
    return inside;
  }

  /// Frame of the copy that fills octant `inside`, which is numbered in this frame.
  constexpr Orientation within(std::uint32_t inside) const {
    constexpr std::uint32_t masks[3] = {mirrored_x, mirrored_y, mirrored_z};
    Orientation result;
    for (int i = 0; i < 3; ++i) {
      const int source = axes_in(inside)[i];
      result.axis[i] = axis[source];
      result.mirrored[i] = mirrored[source] != (((masks[source] >> inside) & 1) != 0);
    }
    return result;
  }
};

/// Repeated subdivision reaches this many of the 48 orientations of a cube.
inline constexpr int orientations = 24;

/// One level of the curve as a state machine; state 0 is the whole cube's own frame.
struct Levels {
  std::uint8_t rank[orientations][8] = {};  ///< of an octant along the curve
  std::uint8_t next[orientations][8] = {};  ///< state inside an octant
};

consteval Levels make_levels() {
  Levels levels;
  Orientation found[orientations] = {};
  int count = 1;
  for (int state = 0; state < count; ++state) {
    for (std::uint32_t octant = 0; octant < 8; ++octant) {
      const std::uint32_t inside = found[state].octant_inside(octant);
      const Orientation child = found[state].within(inside);
      int next = 0;
      while (next < count && !(found[next] == child)) ++next;
      if (next == count) found[count++] = child;
      levels.rank[state][octant] = static_cast<std::uint8_t>(rank_of_octant(inside));
      levels.next[state][octant] = static_cast<std::uint8_t>(next);
    }
  }
  return levels;
}

/// Levels that one lookup of the encoder takes: 24 KiB, which stays in a first-level cache.
inline constexpr int levels_per_lookup = 3;
inline constexpr std::uint32_t lookup_bits = 3 * levels_per_lookup;
inline constexpr std::uint32_t lookup_mask = (1u << lookup_bits) - 1;

/// Entry [state << 9 | nine bits of a Morton key], three levels of it, holds
/// (state inside that cell) << 9 | (the same nine bits of the Peano-Hilbert key).
struct EncodeTable {
  std::uint16_t entry[orientations << lookup_bits] = {};
};

consteval EncodeTable make_encode_table() {
  constexpr Levels levels = make_levels();
  EncodeTable table;
  for (std::uint32_t start = 0; start < orientations; ++start) {
    for (std::uint32_t cell = 0; cell <= lookup_mask; ++cell) {
      std::uint32_t state = start;
      std::uint32_t key = 0;
      for (int level = levels_per_lookup - 1; level >= 0; --level) {
        const std::uint32_t octant = cell >> (3 * level) & 7;
        key = key << 3 | levels.rank[state][octant];
        state = levels.next[state][octant];
      }
      table.entry[start << lookup_bits | cell] =
          static_cast<std::uint16_t>(state << lookup_bits | key);
    }
  }
  return table;
}

}  // namespace gothic::tree::curve
