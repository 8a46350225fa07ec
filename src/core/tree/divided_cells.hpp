#pragma once

#include <cstdint>

#include "core/device/annotations.hpp"
#include "core/device/bits.hpp"
#include "core/tree/keys.hpp"

namespace gothic {

/// Consecutive elements first ... first + count - 1 of some array.
struct Range {
  std::uint32_t first = 0, count = 0;
};

/// The first of low, low + 1, ... high - 1 for which this holds, by bisection: it must hold for all
/// behind that one. `high` if it holds for none.
template <class Predicate>
GOTHIC_HD inline std::uint32_t first_of(std::uint32_t low, std::uint32_t high, Predicate holds) {
  std::uint32_t size = high - low;  // halved alike whatever holds, so that no branch depends on it
  while (size > 1) {
    const std::uint32_t half = size / 2;
    low = holds(low + half - 1) ? low : low + half;
    size -= half;
  }
  return size == 1 && !holds(low) ? low + 1 : low;
}

/// The cells of an oct-tree that are divided: cubes with more particles than a leaf may have, of
/// which some lie in different octants. Each is found without the others, so all are found at once.
///
/// Every `capacity`-th particle is a sample. A divided cell has more than `capacity` particles, so
/// it has a sample, and is found from its first one. The cells of one sample lie in one another.
struct DividedCells {
  const tree::Key* keys;   ///< [n] sorted
  std::uint32_t n;         ///< at least 1
  std::uint32_t capacity;  ///< particles that a leaf may have, at least 1

  GOTHIC_HD std::uint32_t samples() const { return 1 + (n - 1) / capacity; }
  /// The first sample at or behind a particle.
  GOTHIC_HD std::uint32_t sample_behind(std::uint32_t particle) const {
    return particle / capacity + (particle % capacity > 0 ? 1 : 0);
  }

  GOTHIC_HD bool is_divided(Range cell) const {
    return cell.count > capacity && keys[cell.first] != keys[cell.first + cell.count - 1];
  }

  /// Calls f(cell) for the divided cells whose first sample this is, the smallest first.
  template <class F>
  GOTHIC_HD void for_each(std::uint32_t sample, F f) const {
    const std::uint32_t at = sample * capacity, least = sample > 0 ? at - capacity + 1 : 0;
    const int outermost = sample > 0 ? shared_levels(at, least - 1) + 1 : 0;
    std::uint32_t begin = at, end = at + 1;
    for (int level = first_level(at); level >= outermost; level = next_level(at, begin, end)) {
      const int shift = 3 * (tree::key_levels - level);
      const auto is_inside = [=, all = keys, own = keys[at]](std::uint32_t i) {
        return (all[i] ^ own) >> shift == 0;
      };
      end = end_of(is_inside, at, end);
      begin = first_of(least, begin, is_inside);
      if (end - begin > capacity && level < tree::key_levels) f(Range{begin, end - begin});
    }
  }

 private:
  /// Levels of the cube's subdivision on which two particles lie in one cell.
  GOTHIC_HD int shared_levels(std::uint32_t i, std::uint32_t j) const {
    return tree::key_levels - (bit_width(keys[i] ^ keys[j]) + 2) / 3;
  }

  /// The finest level on which a cell with the particle may be divided; -1 if there is none. A
  /// divided cell also has the next particle, and one of those half the capacity before or behind.
  GOTHIC_HD int first_level(std::uint32_t at) const {
    const std::uint32_t half = capacity / 2;
    if (at + 1 >= n) return -1;
    const int next = shared_levels(at, at + 1),
              before = at > half ? shared_levels(at, at - half) : -1,
              behind = at + half < n ? shared_levels(at, at + half) : -1;
    const int either = before > behind ? before : behind;
    return next < either ? next : either;
  }
  /// The level of the smallest larger cell; -1 if there is none.
  GOTHIC_HD int next_level(std::uint32_t at, std::uint32_t begin, std::uint32_t end) const {
    const int before = begin > 0 ? shared_levels(at, begin - 1) : -1,
              behind = end < n ? shared_levels(at, end) : -1;
    return before > behind ? before : behind;
  }

  /// Where the cell ends that has the particles at ... end - 1.
  template <class Inside>
  GOTHIC_HD std::uint32_t end_of(Inside is_inside, std::uint32_t at, std::uint32_t end) const {
    std::uint32_t low = end, high = end, step = end - at;
    while (high < n && is_inside(high)) {
      low = high + 1;
      high = n - high > step ? high + step : n;
      step *= 2;
    }
    return first_of(low, high, [=](std::uint32_t i) { return !is_inside(i); });
  }
};

}  // namespace gothic
