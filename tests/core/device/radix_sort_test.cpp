#include "core/device/cpu/radix_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

/// The CPU's sort on keys of all kinds; primitives_test.cpp sorts random ones on every device.
namespace gothic::cpu {
namespace {

using Key = std::uint64_t;
using Keys = std::vector<Key>;

Keys random_keys(std::size_t count, int bits) {
  std::mt19937_64 generator(count + std::size_t(bits));
  Keys keys(count);
  for (Key& key : keys) key = generator() >> (64 - bits);
  return keys;
}

/// Sorts keys with their places, and compares with a stable sort of the standard library.
void expect_sorted(const Keys& keys, int key_bits = 64) {
  const Key mask = key_bits < 64 ? (Key(1) << key_bits) - 1 : ~Key(0);
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0U);
  auto order = places;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return keys[i] & mask; });
  for (const int threads : {1, 2, 3}) {
    Keys sorted = keys, key_scratch(keys.size());
    std::vector<std::uint32_t> values = places, value_scratch(keys.size());
    ThreadTeam team(threads);
    radix_sort_pairs(sorted, values, key_scratch, value_scratch, key_bits, team);
    ASSERT_EQ(values, order) << keys.size() << " pairs, " << threads << " threads";
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(sorted[i], keys[order[i]]);
  }
}

TEST(RadixSort, SortsAnyNumberOfPairs) {
  for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000, 4097}) {
    expect_sorted(random_keys(count, 63));
  }
  expect_sorted(random_keys(1000000, 63), 63);
}

TEST(RadixSort, KeepsTheOrderOfEqualKeys) {
  for (const int bits : {1, 3, 8}) expect_sorted(random_keys(50000, bits));
  expect_sorted(Keys(20000, 12345));
}

TEST(RadixSort, SortsWhatIsInOrderOrReversed) {
  Keys keys = random_keys(30000, 64);
  std::ranges::sort(keys);
  expect_sorted(keys);
  std::ranges::reverse(keys);
  expect_sorted(keys);
}

TEST(RadixSort, SortsKeysThatDifferInFewBits) {
  Keys low = random_keys(30000, 20);
  for (Key& key : low) key |= Key(1) << 62;
  expect_sorted(low);
  Keys clump = random_keys(100000, 9);  // the others are far away
  for (std::size_t i = 0; i < clump.size(); i += 1000) clump[i] = ~Key(0) << (i / 1000 % 30);
  expect_sorted(clump);
  Keys magnitudes = random_keys(50000, 64);
  for (std::size_t i = 0; i < magnitudes.size(); ++i) magnitudes[i] >>= i % 64;
  expect_sorted(magnitudes);
}

TEST(RadixSort, ComparesTheLowBitsOnly) {
  for (const int bits : {0, 1, 10, 30}) expect_sorted(random_keys(5000, 64), bits);
}

TEST(RadixSort, RefusesArraysOfUnequalLengths) {
  Keys keys(4), key_scratch(4);
  std::vector<std::uint32_t> values(4), value_scratch(3);
  ThreadTeam team(1);
  EXPECT_THROW(radix_sort_pairs(keys, values, key_scratch, value_scratch, 64, team),
               std::invalid_argument);
}

}  // namespace
}  // namespace gothic::cpu
