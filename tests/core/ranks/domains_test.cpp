#include "core/ranks/domains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

#include "tests/core/device/devices.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"
#include "tests/core/tree/particles.hpp"

/// Borders of domains, and the exchange of particles across them.
namespace gothic {
namespace {

using namespace test;
using tree::Key;

/// Particles and cost between borders.
struct Load {
  std::vector<double> particles, cost;
};

Load load_of(const std::vector<KeySample>& samples, const std::vector<Key>& borders) {
  Load load{std::vector<double>(borders.size() + 1), std::vector<double>(borders.size() + 1)};
  for (const KeySample& sample : samples) {
    const auto rank = std::size_t(std::ranges::upper_bound(borders, sample.key) - borders.begin());
    load.particles[rank] += sample.particles;
    load.cost[rank] += sample.cost;
  }
  return load;
}

/// Samples with random keys and costs that differ by `contrast`, the highest at a place of the
/// curve.
std::vector<KeySample> random_samples(std::size_t count, double contrast) {
  Random random(7);
  std::vector<KeySample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = random.uniform();
    const double near = std::exp(-std::pow((place - 0.3) / 0.05, 2));
    samples.push_back({Key(place * 0x1p63), 100, 100 * (1 + contrast * near)});
  }
  return samples;
}

double largest_over_mean(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return *std::ranges::max_element(values) * double(values.size()) / sum;
}

TEST(Borders, GiveAllRanksTheSameCost) {
  const std::vector<KeySample> samples = random_samples(20000, 5);
  for (const int ranks : {2, 3, 4, 8, 64}) {
    const std::vector<Key> borders = balanced_borders(samples, ranks, 10);
    EXPECT_EQ(borders.size(), std::size_t(ranks) - 1);
    EXPECT_TRUE(std::ranges::is_sorted(borders));
    EXPECT_LT(largest_over_mean(load_of(samples, borders).cost), 1.03);
  }
}

TEST(Borders, GiveNoRankTooManyParticles) {
  const std::vector<KeySample> samples = random_samples(20000, 1000);
  const auto imbalance = [&](double most) {
    return largest_over_mean(load_of(samples, balanced_borders(samples, 4, most)).particles);
  };
  EXPECT_GT(imbalance(4), 1.6);
  EXPECT_LE(imbalance(1.5), 1.5);
  EXPECT_LT(imbalance(1), 1.01);
}

TEST(Borders, CountParticlesWhereNothingHasACost) {
  std::vector<KeySample> samples = random_samples(1000, 0);
  for (KeySample& sample : samples) sample.cost = 0;
  EXPECT_LT(largest_over_mean(load_of(samples, balanced_borders(samples, 4, 1.5)).particles), 1.02);
}

TEST(Borders, LeaveParticlesInOnePointTogether) {
  const std::vector<KeySample> samples(100, {42, 10, 10});
  const std::vector<Key> borders = balanced_borders(samples, 4, 1.5);
  EXPECT_EQ(borders.size(), 3U);
  EXPECT_DOUBLE_EQ(largest_over_mean(load_of(samples, borders).particles), 4);
}

TEST(Borders, AreThereWithoutParticles) {
  EXPECT_EQ(balanced_borders({}, 3, 1.5).size(), 2U);
  EXPECT_EQ(balanced_borders({{5, 1, 1}}, 3, 1.5).size(), 2U);
}

template <class Case>
class Domains : public OnDevice<Case> {};
TYPED_TEST_SUITE(Domains, Devices);

TYPED_TEST(Domains, AreLeftForOthersInTheOrderOfRanks) {
  using Device = typename TestFixture::Device;
  constexpr std::size_t n = 5003;
  const std::vector<Key> borders{100, 100, 5000};
  Random random(3);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < n; ++i) keys.push_back(random.below(10000));
  const auto on_device = to_device<Device>(keys);
  typename Device::template Buffer<std::uint32_t> order;
  constexpr std::size_t own = 1;  // which is to have no particles
  const auto counts = find_leavers(this->device, borders, own, on_device.data(), n, order);
  this->device.synchronize();
  const std::vector<std::uint32_t> found = to_host(order);
  EXPECT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[1], 0U);
  std::size_t place = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    for (std::size_t k = 0; k < counts[rank]; ++k, ++place) {
      const Key key = keys[found[place]];
      EXPECT_EQ(std::ranges::upper_bound(borders, key) - borders.begin(), std::ptrdiff_t(rank));
      if (k > 0) {
        EXPECT_LT(found[place - 1], found[place]);
      }
    }
  }
  EXPECT_EQ(place, n);
}

TYPED_TEST(Domains, GetTheirParticlesFromAllRanks) {
  using Device = typename TestFixture::Device;
  constexpr std::size_t n = 3001;
  for (const int size : {1, 2, 5}) {
    std::mutex mutex;
    std::vector<Key> all;
    std::vector<std::pair<Key, Key>> extents;  // of the ranks
    double largest = 0;
    on_ranks(size, [&](Communicator& ranks) {
      Device device = TypeParam::make();
      Random random(11 + std::uint32_t(ranks.rank()));
      std::vector<Key> keys;  // one rank has none
      const std::size_t own = size > 1 && ranks.rank() == 0 ? 0 : n;
      for (std::size_t i = 0; i < own; ++i) keys.push_back(Key(random.below(1U << 30)) << 20);
      auto here = to_device<Device>(keys), values = to_device<Device>(keys);
      typename Device::template Buffer<Key> scratch;
      const auto moves = divide(device, ranks, nullptr, here);
      move(device, ranks, moves, here, scratch);
      move(device, ranks, moves, values, scratch);
      const std::vector<Key> mine = to_host(here);
      EXPECT_EQ(mine, to_host(values));
      const std::scoped_lock lock(mutex);
      if (!mine.empty()) {
        const auto [low, high] = std::ranges::minmax(mine);
        extents.emplace_back(low, high);
      }
      all.insert(all.end(), mine.begin(), mine.end());
      largest = std::max(largest, double(mine.size()));
    });
    std::vector<Key> expected;
    for (int rank = size > 1 ? 1 : 0; rank < size; ++rank) {
      Random random(11 + std::uint32_t(rank));
      for (std::size_t i = 0; i < n; ++i) expected.push_back(Key(random.below(1U << 30)) << 20);
    }
    std::ranges::sort(extents);
    for (std::size_t i = 1; i < extents.size(); ++i) {
      EXPECT_LT(extents[i - 1].second, extents[i].first);
    }
    std::ranges::sort(all);
    std::ranges::sort(expected);
    EXPECT_EQ(all, expected);
    EXPECT_LT(largest * size / double(expected.size()), 1.15);
  }
}

}  // namespace
}  // namespace gothic
