#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/device/cpu/thread_team.hpp"

namespace gothic::cpu {

namespace detail {

/// Sorts (key, value) pairs by radix, the most significant digit first.
///
/// A range of pairs is scattered between two arrays into buckets by the digit that begins at the
/// highest bit in which its keys differ; then each bucket likewise, until insertion sort is faster.
/// Bits that all keys of a range share cost nothing, the pairs of a bucket soon fit into a cache,
/// and what is nearly in order moves little: 0.7 times the time of passes over all pairs from the
/// least significant digit on, and 0.5 times for keys of particles that have moved a little since
/// the last sort. Both steps keep the order of equal keys, so the result is unique, whatever the
/// number of threads.
class PairSorter {
  using Key = std::uint64_t;

 public:
  struct Pairs {
    Key* keys;
    std::uint32_t* values;
  };

  PairSorter(Pairs home, Pairs away, int key_bits)
      : home_(home), away_(away), mask_(key_bits < 64 ? (Key{1} << key_bits) - 1 : ~Key{0}) {}

  void sort(std::uint32_t count, ThreadTeam& team) const {
    const int threads = team.size();
    // Ranges up to this size are left to one thread each.
    const std::uint32_t share = threads > 1 ? count / (8 * threads) + smallest_share : count;
    std::vector<Range> shared{{0, count, home_, away_}};
    std::vector<Range> single;
    while (!shared.empty()) {
      const Range range = shared.back();
      shared.pop_back();
      if (range.count <= share) {
        single.push_back(range);
      } else {
        partition_shared(range, team, [&](const Range& bucket) { shared.push_back(bucket); });
      }
    }
    team.for_each(single.size(), [&](std::size_t i) { sort_alone(single[i]); });
  }

 private:
  /// Pairs [first, first + count), which lie in `at`; `other` is free to be written.
  struct Range {
    std::uint32_t first, count;
    Pairs at, other;
  };

  /// The bits of a key that tell the buckets of a range apart.
  struct Digit {
    int shift, bits;
    std::uint32_t buckets() const { return 1u << bits; }
    std::uint32_t of(Key key) const {
      return static_cast<std::uint32_t>(key >> shift) & (buckets() - 1);
    }
  };

  // Measured with 2^20 keys of particles, 63 bits; a bit or 16 pairs more or less cost at most 5 %.
  static constexpr int widest_digit = 11;
  static constexpr int mean_bucket_bits = 3;
  static constexpr std::uint32_t insertion_limit = 32;
  static constexpr std::uint32_t smallest_share = 1024;

  /// Digit from the highest bit set in `differences` on, wide enough for buckets of a few pairs.
  static Digit choose_digit(Key differences, std::uint32_t count) {
    const int high = static_cast<int>(std::bit_width(differences));
    const int wanted =
        std::clamp(static_cast<int>(std::bit_width(count)) - mean_bucket_bits, 1, widest_digit);
    const int bits = std::min(wanted, high);
    return {high - bits, bits};
  }

  Key differences(const Range& range, std::uint32_t first, std::uint32_t last) const {
    const Key reference = range.at.keys[range.first];
    Key bits = 0;
    for (std::uint32_t i = first; i < last; ++i) bits |= range.at.keys[i] ^ reference;
    return bits & mask_;
  }

  static void count_digits(const Range& range, Digit digit, std::uint32_t first, std::uint32_t last,
                           std::uint32_t* counts) {
    std::fill_n(counts, digit.buckets(), 0);
    for (std::uint32_t i = first; i < last; ++i) ++counts[digit.of(range.at.keys[i])];
  }

  /// Moves pairs to where `next` says that their bucket goes on.
  static void scatter(const Range& range, Digit digit, std::uint32_t first, std::uint32_t last,
                      std::uint32_t* next) {
    for (std::uint32_t i = first; i < last; ++i) {
      const Key key = range.at.keys[i];
      const std::uint32_t target = next[digit.of(key)]++;
      range.other.keys[target] = key;
      range.other.values[target] = range.at.values[i];
    }
  }

  /// Calls `visit` with the buckets that are not empty, given the end of each.
  template <class Visit>
  static void for_each_bucket(const Range& range, Digit digit, const std::uint32_t* ends,
                              Visit visit) {
    std::uint32_t first = range.first;
    for (std::uint32_t bucket = 0; bucket < digit.buckets(); ++bucket) {
      if (ends[bucket] > first) {
        visit(Range{first, ends[bucket] - first, range.other, range.at});
      }
      first = ends[bucket];
    }
  }

  void sort_alone(const Range& range) const {
    if (range.count <= insertion_limit) return insertion_sort(range);
    const std::uint32_t last = range.first + range.count;
    const Key differing = differences(range, range.first, last);
    if (differing == 0) return copy_home(range, range.first, last);

    const Digit digit = choose_digit(differing, range.count);
    std::uint32_t next[1 << widest_digit];
    count_digits(range, digit, range.first, last, next);
    std::uint32_t sum = range.first;
    for (std::uint32_t bucket = 0; bucket < digit.buckets(); ++bucket) {
      const std::uint32_t count = next[bucket];
      next[bucket] = sum;
      sum += count;
    }
    scatter(range, digit, range.first, last, next);
    for_each_bucket(range, digit, next, [this](const Range& bucket) { sort_alone(bucket); });
  }

  /// One step of sort_alone for a large range, by all threads: a run of the pairs for each.
  template <class Visit>
  void partition_shared(const Range& range, ThreadTeam& team, Visit visit) const {
    const int threads = team.size();
    const auto start = [&](int thread) {
      return range.first +
             static_cast<std::uint32_t>(std::uint64_t{range.count} * thread / threads);
    };
    std::vector<Key> bits(std::size_t(threads), 0);
    const auto for_each_run = [&](auto work) {
      team.for_each(std::size_t(threads), [&](std::size_t t) { work(int(t)); });
    };
    for_each_run([&](int t) { bits[std::size_t(t)] = differences(range, start(t), start(t + 1)); });
    const Key differing = std::reduce(bits.begin(), bits.end(), Key{0}, std::bit_or());
    if (differing == 0) return copy_home(range, range.first, range.first + range.count);

    const Digit digit = choose_digit(differing, range.count);
    const std::size_t buckets = digit.buckets();
    std::vector<std::uint32_t> next(buckets * threads);
    for_each_run(
        [&](int t) { count_digits(range, digit, start(t), start(t + 1), &next[buckets * t]); });
    std::uint32_t sum = range.first;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      for (int t = 0; t < threads; ++t) {
        const std::uint32_t count = next[buckets * t + bucket];
        next[buckets * t + bucket] = sum;
        sum += count;
      }
    }
    for_each_run([&](int t) { scatter(range, digit, start(t), start(t + 1), &next[buckets * t]); });
    // Where the last thread's part of a bucket ends, the bucket ends.
    for_each_bucket(range, digit, &next[buckets * (threads - 1)], visit);
  }

  void copy_home(const Range& range, std::uint32_t first, std::uint32_t last) const {
    if (range.at.keys == home_.keys) return;
    std::copy(range.at.keys + first, range.at.keys + last, home_.keys + first);
    std::copy(range.at.values + first, range.at.values + last, home_.values + first);
  }

  /// Sorts into the home arrays, from wherever the pairs are.
  void insertion_sort(const Range& range) const {
    Key* const keys = home_.keys + range.first;
    std::uint32_t* const values = home_.values + range.first;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const Key key = range.at.keys[range.first + i];
      const std::uint32_t value = range.at.values[range.first + i];
      std::uint32_t place = i;
      for (; place > 0 && (keys[place - 1] & mask_) > (key & mask_); --place) {
        keys[place] = keys[place - 1];
        values[place] = values[place - 1];
      }
      keys[place] = key;
      values[place] = value;
    }
  }

  Pairs home_;
  Pairs away_;
  Key mask_;
};

}  // namespace detail

/// Sorts `keys` in ascending order, and `values` with them. Pairs with equal keys keep their order;
/// the result does not depend on the number of threads.
///
/// \param key_scratch, value_scratch overwritten; as long as `keys` and `values`.
/// \param key_bits number of low bits of a key that are compared; the bits above are carried along.
/// \throws std::invalid_argument if the lengths differ, or are 2^32 or more.
inline void radix_sort_pairs(std::span<std::uint64_t> keys, std::span<std::uint32_t> values,
                             std::span<std::uint64_t> key_scratch,
                             std::span<std::uint32_t> value_scratch, int key_bits,
                             ThreadTeam& team) {
  if (values.size() != keys.size() || key_scratch.size() != keys.size() ||
      value_scratch.size() != keys.size() || keys.size() > UINT32_MAX) {
    throw std::invalid_argument("radix_sort_pairs: keys, values and scratch must be equally long");
  }
  if (keys.empty()) return;
  detail::PairSorter({keys.data(), values.data()}, {key_scratch.data(), value_scratch.data()},
                     key_bits)
      .sort(static_cast<std::uint32_t>(keys.size()), team);
}

}  // namespace gothic::cpu
