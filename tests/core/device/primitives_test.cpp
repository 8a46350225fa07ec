#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "core/device/combine.hpp"
#include "core/device/fixed_list.hpp"
#include "tests/core/device/devices.hpp"

/// The loops that a device offers.
namespace gothic {
namespace {

using test::numbers;
using test::to_device;
using test::to_host;

template <class Case>
class Primitives : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(Primitives, test::Devices);

std::vector<float> random_floats(std::size_t n) {
  std::mt19937 generator(20170401);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> values(n);
  for (float& value : values) value = uniform(generator);
  return values;
}

std::vector<std::uint32_t> random_counts(std::size_t n) {
  std::mt19937 generator(20170402);
  std::vector<std::uint32_t> values(n);
  for (std::uint32_t& value : values) value = generator() % 9;
  return values;
}

/// out[i] += i + 1
template <class Device>
std::vector<std::uint32_t> add_numbers(const Device& device, std::size_t n) {
  auto out = to_device<Device>(std::vector<std::uint32_t>(n, 0));
  std::uint32_t* const data = out.data();
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) { data[i] += std::uint32_t(i) + 1; });
  device.synchronize();
  return to_host(out);
}

TYPED_TEST(Primitives, ForEachVisitsEveryIndexOnce) {
  for (const std::size_t n : this->sizes()) {
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 1U);
    EXPECT_TRUE(add_numbers(this->device, n) == expected) << n;
  }
}

template <class T, class Device>
T sum_of(const Device& device, const std::vector<T>& values, T identity = 0) {
  const auto in = to_device<Device>(values);
  const T* const data = in.data();
  return device.reduce(
      values.size(), identity, [=] GOTHIC_DEVICE(std::size_t i) { return data[i]; }, Sum{});
}

TYPED_TEST(Primitives, ReduceAddsUpAnyNumberOfValuesInOneOrder) {
  EXPECT_EQ(sum_of(this->device, {}, 42.0F), 42) << "of nothing";
  for (const std::size_t n : this->sizes()) {
    const auto counts = random_counts(n);
    EXPECT_EQ(sum_of(this->device, counts), std::accumulate(counts.begin(), counts.end(), 0U)) << n;
    const auto values = random_floats(n);
    const float sum = sum_of(this->device, values);
    EXPECT_NEAR(sum, std::accumulate(values.begin(), values.end(), 0.0), 1e-4 * double(n));
    for (const int threads : {1, 2, 3, 5}) {
      EXPECT_EQ(sum_of(TypeParam::make(threads), values), sum) << n << ", " << threads;
    }
  }
}

template <class Device>
std::uint32_t scan(const Device& device, const std::vector<std::uint32_t>& values,
                   std::vector<std::uint32_t>& sums) {
  const auto in = to_device<Device>(values);
  typename Device::template Buffer<std::uint32_t> out(values.size() + 1);
  const std::uint32_t* const data = in.data();
  const std::uint32_t total = device.exclusive_scan(
      values.size(), [=] GOTHIC_DEVICE(std::size_t i) { return data[i]; }, out.data());
  sums = to_host(out);
  return total;
}

TYPED_TEST(Primitives, ExclusiveScanAgreesWithTheStandardLibrary) {
  for (const std::size_t n : this->sizes()) {
    const auto values = random_counts(n);
    std::vector<std::uint32_t> expected(n + 1, 0), sums;
    std::inclusive_scan(values.begin(), values.end(), expected.begin() + 1);
    const std::uint32_t total = scan(this->device, values, sums);
    EXPECT_TRUE(sums == expected) << n;
    EXPECT_EQ(total, expected.back()) << n;
  }
}

/// Indices of the values that are at least `least`.
template <class Device>
std::vector<std::uint32_t> selected(const Device& device, const std::vector<float>& values,
                                    float least) {
  const auto in = to_device<Device>(values);
  typename Device::template Buffer<std::uint32_t> out(values.size());
  const float* const data = in.data();
  device.select(
      values.size(), [=] GOTHIC_DEVICE(std::uint32_t i) { return data[i] >= least; }, out.data());
  device.synchronize();
  return to_host(out);
}

TYPED_TEST(Primitives, SelectFindsThoseThatAreWantedInOrder) {
  for (const std::size_t n : this->sizes()) {
    const auto values = random_floats(n);
    for (const float least : {0.0F, 0.1F, 0.5F, 0.999F, 2.0F}) {  // from all to none
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < n; ++i) {
        if (values[i] >= least) expected.push_back(i);
      }
      auto found = selected(this->device, values, least);
      ASSERT_LE(expected.size(), found.size());
      found.resize(expected.size());
      EXPECT_TRUE(found == expected) << n << " above " << least;
    }
  }
}

/// Counts the values by their remainder, and visits in passing.
template <std::size_t bins, class Device>
std::array<std::uint32_t, bins> remainders(const Device& device,
                                           const std::vector<std::uint32_t>& values,
                                           std::vector<std::uint32_t>& visits) {
  const auto in = to_device<Device>(values);
  auto visited = to_device<Device>(std::vector<std::uint32_t>(values.size(), 0));
  const std::uint32_t* const data = in.data();
  std::uint32_t* const visit = visited.data();
  const auto result =
      device.template histogram<bins>(values.size(), [=] GOTHIC_DEVICE(std::size_t i) {
        visit[i] += 1;
        return int(data[i] % bins);
      });
  visits = to_host(visited);
  return result;
}

template <std::size_t bins, class Device>
void expect_histogram(const Device& device, std::size_t n) {
  std::mt19937 generator(20170403);
  std::vector<std::uint32_t> values(n), visits;
  // Many in the first bins and few in the last.
  for (std::uint32_t& value : values) value = generator() % (1 + generator() % (bins + 1));
  std::array<std::uint32_t, bins> expected{};
  for (const std::uint32_t value : values) ++expected[value % bins];
  EXPECT_EQ((remainders<bins>(device, values, visits)), expected) << n;
  EXPECT_TRUE(visits == std::vector<std::uint32_t>(n, 1)) << n;
}

TYPED_TEST(Primitives, HistogramCountsEveryValueOnceAndCallsForItOnce) {
  for (const std::size_t n : this->sizes()) {
    expect_histogram<1>(this->device, n);
    expect_histogram<37>(this->device, n);
    expect_histogram<1000>(this->device, n);
  }
}

template <class Device>
void expect_weights(const Device& device, std::size_t n) {
  const auto counts =
      device.template histogram<5, std::uint64_t>(n, [=] GOTHIC_DEVICE(std::size_t i) {
        return WeighedBin{int(i % 4), i % 4 == 2 ? 0 : std::uint64_t(i) << 40};
      });
  std::array<std::uint64_t, 5> expected{};
  for (std::uint64_t i = 0; i < n; ++i) expected[i % 4] += i % 4 == 2 ? 0 : i << 40;
  EXPECT_EQ(counts, expected) << n;
}

/// Each range reads what the range after it wrote.
template <class Device>
void expect_turns(const Device& device, const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> begin{0}, expected;
  for (const std::uint32_t size : sizes) {
    const auto after = std::uint32_t(sizes.size() + 1 - begin.size());
    expected.insert(expected.end(), size, after);
    begin.push_back(begin.back() + size);
  }
  const auto begins = to_device<Device>(begin);
  auto written = to_device<Device>(std::vector<std::uint32_t>(begin.back() + 1, 0));
  const std::uint32_t* const first = begins.data();
  std::uint32_t* const value = written.data();
  const std::uint32_t end = begin.back();
  device.for_each_in_turn(begin, [=] GOTHIC_DEVICE(std::size_t i) {
    std::size_t next = 0;
    while (first[next] <= i) ++next;
    const std::uint32_t from = first[next], to = from == end ? end + 1 : first[next + 1];
    value[i] = 1 + value[from + (7 * i) % (to - from)];
  });
  std::vector<std::uint32_t> found = to_host(written);
  found.pop_back();
  EXPECT_EQ(found, expected);
}

TYPED_TEST(Primitives, TurnsSeeWhatLaterRangesWrote) {
  expect_turns(this->device, {});
  expect_turns(this->device, {5});
  expect_turns(this->device, {1, 8, 64, 1024, 1025, 70000, 300, 2, 1});
  expect_turns(this->device, {3000, 3000, 1, 3000});
  std::vector<std::uint32_t> many(75, 40);
  many[40] = 5000;
  expect_turns(this->device, many);
}

template <class Device>
void expect_numbers_later(const Device& device) {
  const auto count = [&](std::uint32_t factor) {
    return device.template start_histogram<3>(
        1000, [=] GOTHIC_DEVICE(std::size_t i) { return int(factor * i % 3); });
  };
  const auto sum = device.start_reduce(
      1000, 0U, [=] GOTHIC_DEVICE(std::size_t i) { return std::uint32_t(i); }, Sum{});
  const auto first = count(1), second = count(3);
  EXPECT_EQ(first.get(), (std::array<std::uint32_t, 3>{334, 333, 333}));
  device.synchronize();
  EXPECT_EQ(second.get(), (std::array<std::uint32_t, 3>{1000, 0, 0}));
  EXPECT_EQ(sum.get(), 499500U);
  EXPECT_EQ(sum.get(), 499500U) << "again";
}

TYPED_TEST(Primitives, NumbersMayComeLater) { expect_numbers_later(this->device); }

TYPED_TEST(Primitives, HistogramAddsWeights) {
  for (const std::size_t n : this->sizes()) expect_weights(this->device, n);
}

/// Sorts n random keys with their places and compares with a stable sort of the standard library.
template <class Device>
void expect_sorted(Device& device, std::size_t n, int bits) {
  std::mt19937_64 generator(n);
  std::vector<std::uint64_t> keys(n), sorted(n);
  for (std::uint64_t& key : keys) key = generator() >> (64 - bits);
  auto order = numbers(n);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return keys[i]; });
  for (std::size_t i = 0; i < n; ++i) sorted[i] = keys[order[i]];

  auto key_buffer = to_device<Device>(keys);
  auto values = to_device<Device>(numbers(n));
  device.sort_pairs(key_buffer, values, bits);
  EXPECT_TRUE(to_host(key_buffer) == sorted) << n << " keys of " << bits << " bits";
  EXPECT_TRUE(to_host(values) == order) << n << " keys of " << bits << " bits";
}

TYPED_TEST(Primitives, SortPairsIsStableForKeysOfEveryWidth) {
  for (const std::size_t n : this->sizes()) {
    for (const int bits : {63, 10}) expect_sorted(this->device, n, bits);
  }
  expect_sorted(this->device, 10, 63);  // after many
}

/// Scratch that a warp keeps between tasks. Uninitialised memory holds no such mark.
struct Kept {
  std::uint32_t mark, tasks;
};

/// For every task the number of visits, and how many tasks the warp had already had.
struct Visits {
  std::vector<std::uint32_t> visits, ordinals;
};

template <class Device>
Visits visit_tasks(const Device& device, std::size_t tasks) {
  using Warp = typename Device::Warp;
  static std::uint32_t last_mark = 0x9e3779b9U;
  const std::uint32_t mark = ++last_mark;
  auto visits = to_device<Device>(std::vector<std::uint32_t>(tasks, 0));
  auto ordinals = to_device<Device>(std::vector<std::uint32_t>(tasks, 0));
  std::uint32_t *const visit = visits.data(), *const ordinal = ordinals.data();
  device.template for_each_warp<Kept>(tasks, [=] GOTHIC_DEVICE(Kept & kept, std::size_t task) {
    // All lanes have read before one of them writes.
    const std::uint32_t times = visit[task] + 1, had = kept.mark == mark ? kept.tasks + 1 : 1;
    Warp::copy(visit + task, &times, 1);
    Warp::copy(&kept.mark, &mark, 1);
    Warp::copy(&kept.tasks, &had, 1);
    Warp::copy(ordinal + task, &had, 1);
  });
  device.synchronize();
  return {to_host(visits), to_host(ordinals)};
}

TYPED_TEST(Primitives, ForEachWarpGivesEveryTaskToOneWarp) {
  for (const std::size_t n : this->sizes()) {
    EXPECT_TRUE(visit_tasks(this->device, n).visits == std::vector<std::uint32_t>(n, 1)) << n;
  }
}

/// Visits of tasks with sizes. The first tasks have `size`; each adds a task for each of its `ways`
/// parts, until parts are smaller than 1.
template <class Device>
std::vector<std::uint32_t> visit_added_tasks(const Device& device, std::uint32_t tasks,
                                             std::uint32_t size, std::uint32_t ways) {
  using Warp = typename Device::Warp;
  std::uint32_t all = 0;
  for (std::uint32_t level = tasks, rest = size; rest > 0; level *= ways, rest /= ways)
    all += level;
  auto visits = to_device<Device>(std::vector<std::uint32_t>(all, 0));
  auto sizes = to_device<Device>(std::vector<std::uint32_t>(all, size));
  std::uint32_t *const visit = visits.data(), *const own_size = sizes.data();
  const auto visit_and_add = [=] GOTHIC_DEVICE(Kept&, std::size_t task, AddedTasks & added) {
    const std::uint32_t times = visit[task] + 1, part = own_size[task] / ways;
    Warp::copy(visit + task, &times, 1);
    if (part == 0) return;
    Warp::add_tasks(added, ways, [=](std::uint32_t first) {
      for (std::uint32_t k = 0; k < ways; ++k) Warp::copy(own_size + tasks + first + k, &part, 1);
    });
  };
  device.template for_each_warp_adding<Kept>(tasks, visit_and_add);
  device.synchronize();
  return to_host(visits);
}

TYPED_TEST(Primitives, TasksThatTasksAddAreGivenToOneWarpEach) {
  for (const std::uint32_t tasks : {0U, 1U, 3U, 5000U}) {
    for (const auto& [size, ways] : {std::pair{1U, 2U}, {5U, 5U}, {64U, 4U}, {256U, 2U}}) {
      const auto visits = visit_added_tasks(this->device, tasks, size, ways);
      EXPECT_EQ(visits, std::vector<std::uint32_t>(visits.size(), 1)) << tasks << ", " << size;
    }
  }
}

TYPED_TEST(Primitives, AWarpKeepsItsScratchFromTaskToTask) {
  constexpr std::size_t tasks = 1000000;
  // A warp that had n tasks counted 1 ... n.
  std::vector<std::uint32_t> warps_with(tasks + 2, 0);
  for (const std::uint32_t ordinal : visit_tasks(this->device, tasks).ordinals) {
    ++warps_with.at(ordinal);
  }
  EXPECT_EQ(warps_with[0], 0U);
  EXPECT_GE(warps_with[1], 1U);
  EXPECT_LT(warps_with[1], tasks / 10);
  EXPECT_TRUE(std::is_sorted(warps_with.begin() + 1, warps_with.end(), std::greater<>()));
}

/// Sums 0 ... n - 1 in a list of n numbers behind the warp's scratch; one sum per task.
template <class Device>
std::vector<std::uint32_t> sums_behind_scratch(const Device& device, std::size_t tasks,
                                               std::uint32_t n) {
  using Warp = typename Device::Warp;
  const auto number = to_device<Device>(numbers(n));
  typename Device::template Buffer<std::uint32_t> sums(tasks);
  const std::uint32_t* const from = number.data();
  std::uint32_t* const out = sums.data();
  const auto sum_up = [=] GOTHIC_DEVICE(Kept & kept, std::size_t task) {
    std::uint32_t* const list = behind<std::uint32_t>(kept);
    Warp::copy(list, from, n);
    std::uint32_t sum = std::uint32_t(task);
    for (std::uint32_t i = 0; i < n; ++i) sum += list[i];
    Warp::copy(out + task, &sum, 1);
    const std::uint32_t zero = 0;
    for (std::uint32_t i = 0; i < n; ++i) Warp::copy(list + i, &zero, 1);
  };
  device.template for_each_warp<Kept>(tasks, sum_up, n * sizeof(std::uint32_t));
  device.synchronize();
  return to_host(sums);
}

TYPED_TEST(Primitives, EveryWarpHasTheMemoryBehindItsScratchToItself) {
  constexpr std::uint32_t tasks = 3001;
  for (const std::uint32_t n : {1U, 7U, 1000U}) {
    std::vector<std::uint32_t> expected = numbers(tasks);
    for (std::uint32_t& sum : expected) sum += n * (n - 1) / 2;
    EXPECT_EQ(sums_behind_scratch(this->device, tasks, n), expected) << n << " numbers";
  }
}

TYPED_TEST(Primitives, ResultsDoNotDependOnTheSizesOfBlocks) {
  constexpr std::size_t n = 5003;
  const std::vector<std::uint32_t> expected = add_numbers(this->device, n);
  for (const int threads : {32, 64, 128, 256, 512, 1024}) {
    auto device = TypeParam::make(1, {.warp_threads = threads, .index_threads = threads});
    EXPECT_EQ(visit_tasks(device, n).visits, std::vector<std::uint32_t>(n, 1)) << threads;
    EXPECT_EQ(add_numbers(device, n), expected) << threads;
    if (device.block_sizes().warp_threads > 0) {
      EXPECT_EQ(device.block_sizes().warp_threads, threads);
    }
  }
}

TYPED_TEST(Primitives, ScratchThatIsAllowedCanBeHad) {
  for (const int threads : {32, 64, 1024}) {
    auto device = TypeParam::make(1, {.warp_threads = threads});
    const std::size_t limit = std::min<std::size_t>(device.scratch_limit(), 1 << 16);
    EXPECT_EQ(sums_behind_scratch(device, 2,
                                  std::uint32_t((limit - sizeof(Kept)) / sizeof(std::uint32_t)))
                  .size(),
              2U);
  }
}

/// The results of tasks that each add their number and 1 to sums in common, and the sums.
struct Added {
  std::vector<std::uint32_t> before;
  std::uint32_t sum;
  std::uint64_t large_sum;
};

template <class Device>
Added add_up(const Device& device, std::uint32_t tasks) {
  using Warp = typename Device::Warp;
  auto sum = to_device<Device>(std::vector<std::uint32_t>{5});
  auto large_sum = to_device<Device>(std::vector<std::uint64_t>{std::uint64_t(1) << 40});
  typename Device::template Buffer<std::uint32_t> befores(tasks);
  std::uint32_t *const shared = sum.data(), *const before = befores.data();
  std::uint64_t* const large = large_sum.data();
  device.template for_each_warp<Kept>(tasks, [=] GOTHIC_DEVICE(Kept&, std::size_t task) {
    before[task] = Warp::add(shared, 3U);
    Warp::add(large, std::uint64_t(task) << 20);
  });
  device.synchronize();
  return {to_host(befores), to_host(sum)[0], to_host(large_sum)[0]};
}

TYPED_TEST(Primitives, WarpsAddToWhatTheyShareOneAfterTheOther) {
  constexpr std::uint32_t tasks = 100000;
  Added added = add_up(this->device, tasks);
  EXPECT_EQ(added.sum, 5 + 3 * tasks);
  EXPECT_EQ(added.large_sum,
            (std::uint64_t(1) << 40) + ((std::uint64_t(tasks) * (tasks - 1) / 2) << 20));
  std::ranges::sort(added.before);
  for (std::uint32_t i = 0; i < tasks; ++i) ASSERT_EQ(added.before[i], 5 + 3 * i);
}

void sleep_for_milliseconds(int n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); }

TYPED_TEST(Primitives, TimerLeavesOutWhatIsSkippedButNotFromTheWhole) {
  using Timer = typename TestFixture::Device::Timer;
  double first = 100, second = 0;
  Timer timer(this->device);
  sleep_for_milliseconds(10);
  timer.lap(first);
  const double half = timer.finish(), once = first;  // the timer goes on
  sleep_for_milliseconds(50);
  timer.skip();
  sleep_for_milliseconds(10);
  timer.lap(second);
  sleep_for_milliseconds(30);
  const double whole = timer.finish();
  EXPECT_GE(first, 100.009) << "it adds";
  EXPECT_EQ(first, once) << "no lap is added twice";
  EXPECT_GE(half + 100, first);
  EXPECT_GE(second, 0.009);
  EXPECT_GE(whole, half + second + 0.078);
}

/// Repeats x = x^2 + c for every number: work of some milliseconds.
template <class Device>
void iterate(const Device& device, float* values, std::size_t n, int times) {
  device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) {
    float x = values[i];
    for (int k = 0; k < times; ++k) x = x * x - 0.7F;
    values[i] = x;
  });
}

TYPED_TEST(Primitives, TimerWaitsForTheWorkOfItsLaps) {
  using Device = typename TestFixture::Device;
  auto values = to_device<Device>(std::vector<float>(100000, 0.1F));
  double little = 0, much = 0;
  iterate(this->device, values.data(), values.size(), 1);
  typename Device::Timer timer(this->device);
  iterate(this->device, values.data(), values.size(), 1);
  timer.lap(little);
  for (int k = 0; k < 50; ++k) iterate(this->device, values.data(), values.size(), 100);
  timer.lap(much);
  const double whole = timer.finish();
  EXPECT_GT(little, 0);
  EXPECT_GT(much, little);
  EXPECT_GE(whole * (1 + 1e-6), little + much);
}

TYPED_TEST(Primitives, TimersFollowEachOther) {
  using Timer = typename TestFixture::Device::Timer;
  for (int k = 0; k < 100; ++k) {
    double seconds = 0;
    Timer outer(this->device), inner(this->device);
    outer.lap(seconds);
    inner.lap(seconds);
    EXPECT_GE(inner.finish(), 0);
    EXPECT_GE(outer.finish(), 0);
    EXPECT_GE(seconds, 0);
    EXPECT_LT(seconds, 10);
  }
}

TYPED_TEST(Primitives, ADeviceTellsItsNameThreadsAndMemory) {
  using Device = typename TestFixture::Device;
  EXPECT_FALSE(this->device.identity().name.empty());
  EXPECT_GE(this->device.threads(), 1);
  EXPECT_GE(this->device.warps(), std::size_t(this->device.threads()));
  EXPECT_GT(this->device.free_memory(), std::size_t(1) << 20);
  const std::size_t bytes = std::size_t(64) << 20;
  const auto memory = to_device<Device>(std::vector<std::uint8_t>(bytes, 1));
  EXPECT_GE(this->device.used_memory(), bytes);
}

}  // namespace
}  // namespace gothic
