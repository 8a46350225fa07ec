#include "core/device/cpu/radix_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace gothic::cpu {
namespace {

template <class Key>
struct Arrays {
  std::vector<Key> keys;
  std::vector<std::uint32_t> values;
  bool operator==(const Arrays&) const = default;
};

template <class Key>
Arrays<Key> numbered(std::vector<Key> keys) {
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  return {std::move(keys), std::move(values)};
}

template <class Key>
Arrays<Key> sorted(Arrays<Key> pairs, int key_bits, int threads) {
  std::vector<Key> key_scratch(pairs.keys.size());
  std::vector<std::uint32_t> value_scratch(pairs.keys.size());
  ThreadTeam team(threads);
  radix_sort_pairs<Key>(pairs.keys, pairs.values, key_scratch, value_scratch, key_bits, team);
  return pairs;
}

template <class Key>
Arrays<Key> expected(const Arrays<Key>& pairs, int key_bits) {
  const auto compared = [&](std::uint32_t i) {
    return key_bits < static_cast<int>(8 * sizeof(Key)) ? pairs.keys[i] & ((Key{1} << key_bits) - 1)
                                                        : pairs.keys[i];
  };
  std::vector<std::uint32_t> order(pairs.keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return compared(a) < compared(b); });
  Arrays<Key> result;
  for (const std::uint32_t i : order) {
    result.keys.push_back(pairs.keys[i]);
    result.values.push_back(pairs.values[i]);
  }
  return result;
}

template <class Key>
std::vector<Key> random_keys(std::size_t count, int bits) {
  std::mt19937_64 generator(count + bits);
  std::vector<Key> keys(count);
  for (Key& key : keys) key = static_cast<Key>(generator() >> (64 - bits));
  return keys;
}

template <class Key>
class RadixSort : public testing::Test {
 protected:
  static constexpr int all_bits = 8 * sizeof(Key);

  static void expect_sorted(std::vector<Key> keys, int key_bits = all_bits) {
    const Arrays<Key> pairs = numbered(std::move(keys));
    const Arrays<Key> reference = expected(pairs, key_bits);
    for (const int threads : {1, 2, 3}) {
      // Not EXPECT_EQ, which would print both arrays.
      EXPECT_TRUE(sorted(pairs, key_bits, threads) == reference)
          << pairs.keys.size() << " pairs, " << threads << " threads";
    }
  }
};
using KeyTypes = testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(RadixSort, KeyTypes);

TYPED_TEST(RadixSort, SortsAnyNumberOfPairs) {
  for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000, 4097}) {
    this->expect_sorted(random_keys<TypeParam>(count, this->all_bits - 1));
  }
}

TYPED_TEST(RadixSort, SortsAMillionPairs) {
  this->expect_sorted(random_keys<TypeParam>(1000000, this->all_bits - 1), this->all_bits - 1);
}

TYPED_TEST(RadixSort, KeepsTheOrderOfEqualKeys) {
  for (const int bits : {1, 3, 8}) this->expect_sorted(random_keys<TypeParam>(50000, bits));
}

TYPED_TEST(RadixSort, LeavesPairsWithOneKeyAlone) {
  this->expect_sorted(std::vector<TypeParam>(20000, 12345));
  this->expect_sorted(std::vector<TypeParam>(20000, ~TypeParam{0}));
}

TYPED_TEST(RadixSort, SortsWhatIsInOrderOrReversed) {
  std::vector<TypeParam> keys = random_keys<TypeParam>(30000, this->all_bits);
  std::sort(keys.begin(), keys.end());
  this->expect_sorted(keys);
  std::reverse(keys.begin(), keys.end());
  this->expect_sorted(keys);
}

TYPED_TEST(RadixSort, SortsKeysThatDifferInTheirLowestBitsOnly) {
  std::vector<TypeParam> keys = random_keys<TypeParam>(30000, 20);
  for (TypeParam& key : keys) key |= TypeParam{1} << (this->all_bits - 2);
  this->expect_sorted(keys);
}

TYPED_TEST(RadixSort, SortsADenseClumpAmongFarPairs) {
  std::vector<TypeParam> keys = random_keys<TypeParam>(100000, 9);
  for (std::size_t i = 0; i < keys.size(); i += 1000) keys[i] = ~TypeParam{0} << (i / 1000 % 30);
  this->expect_sorted(keys);
}

TYPED_TEST(RadixSort, SortsKeysOfEveryMagnitude) {
  std::vector<TypeParam> keys = random_keys<TypeParam>(50000, this->all_bits);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] >>= i % this->all_bits;
  this->expect_sorted(keys);
}

TYPED_TEST(RadixSort, ComparesTheLowBitsOnly) {
  for (const int bits : {0, 1, 10, 30}) {
    this->expect_sorted(random_keys<TypeParam>(5000, this->all_bits), bits);
  }
}

TYPED_TEST(RadixSort, RefusesArraysOfUnequalLengths) {
  std::vector<TypeParam> keys(4);
  std::vector<TypeParam> key_scratch(4);
  std::vector<std::uint32_t> values(4);
  std::vector<std::uint32_t> value_scratch(3);
  ThreadTeam team(1);
  EXPECT_THROW(
      radix_sort_pairs<TypeParam>(keys, values, key_scratch, value_scratch, this->all_bits, team),
      std::invalid_argument);
}

}  // namespace
}  // namespace gothic::cpu
