#include <gtest/gtest.h>

#include <random>

#include "tests/core/device/families.hpp"
#include "tests/core/device/warps.hpp"

/// A warp's own lists that grow, which only the CPU has.
namespace gothic {
namespace {

using test::Families;
using test::numbers;
using test::on_one_warp;
using test::Span;
using test::to_device;
using test::to_host;

template <class Case>
class GrowingLists : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(GrowingLists, test::Devices);

template <class Warp>
using Integers = typename Warp::template List<std::uint32_t>;

/// Appends the values[0..n) whose flag is positive, a warp's width at a time, and hands out the
/// list.
struct AppendFlagged {
  const std::uint32_t* value;
  const float* flag;
  const std::uint32_t* place;
  int n;
  std::uint32_t *out, *size;
  template <class Warp>
  void run() const {
    Integers<Warp> list;
    for (int begin = 0; begin < n; begin += Warp::width) {
      list.reserve(Warp::width);
      const int rest = n - begin;
      const auto flagged = Warp::gather(flag, Warp::load(place + begin, rest)) > 0.0F;
      Warp::append(list, flagged && Warp::first(rest), Warp::load(value + begin, rest));
    }
    Warp::copy(out, list.data(), list.size());
    *size = list.size();
  }
};

TYPED_TEST(GrowingLists, AppendKeepsTheOrderOfTheChosenLanes) {
  using Device = typename TestFixture::Device;
  std::mt19937 generator(7);
  for (const int n : {1, this->width - 1, this->width, this->width + 1, 100, 10000}) {
    std::vector<std::uint32_t> values(n), expected;
    std::vector<float> flags(n);
    for (int i = 0; i < n; ++i) {
      values[i] = std::uint32_t(generator());
      flags[i] = generator() % 3 == 0 ? 1 : 0;
      if (flags[i] > 0) expected.push_back(values[i]);
    }
    const auto value = to_device<Device>(values);
    const auto flag = to_device<Device>(flags);
    const auto place = to_device<Device>(numbers(n));
    typename Device::template Buffer<std::uint32_t> out(n), size(1);
    on_one_warp(this->device,
                AppendFlagged{value.data(), flag.data(), place.data(), n, out.data(), size.data()});
    ASSERT_EQ(to_host(size)[0], expected.size()) << n;
    auto list = to_host(out);
    list.resize(expected.size());
    EXPECT_TRUE(list == expected) << n;
  }
}

/// Appends the families which[0..count) to a list that holds 12345 already.
struct AppendRanges {
  const std::uint32_t* families;
  const std::uint32_t* which;
  std::uint32_t count;
  std::uint32_t *out, *none, *sizes;
  template <class Warp>
  void run() const {
    const std::uint32_t mark = 12345;
    Integers<Warp> list, empty;
    list.reserve(1);
    Warp::copy(list.data(), &mark, 1);
    list.resize(1);
    list.reserve(8 * count);
    empty.reserve(count);
    Warp::template append_ranges<Families>(list, empty, families, which, count);
    Warp::copy(out, list.data(), list.size());
    Warp::copy(none, empty.data(), empty.size());
    sizes[0] = list.size();
    sizes[1] = empty.size();
  }
};

TYPED_TEST(GrowingLists, AppendRangesListsTheMembersAndTheEmptyOnes) {
  using Device = typename TestFixture::Device;
  std::mt19937 generator(11);
  std::vector<Span> ranges(500);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i] = {std::uint32_t(generator() % 10000), std::uint32_t(i % 9)};
  }
  std::vector<std::uint32_t> packed;
  for (const Span& range : ranges) packed.push_back(Families::pack(range));
  const auto family = to_device<Device>(packed);
  for (const std::size_t n : {0, 1, this->width - 1, this->width, this->width + 1, 2000}) {
    std::vector<std::uint32_t> which(n), expected{12345}, expected_empty;
    for (std::uint32_t& i : which) {
      i = std::uint32_t(generator() % ranges.size());
      for (std::uint32_t k = 0; k < ranges[i].count; ++k) expected.push_back(ranges[i].first + k);
      if (ranges[i].count == 0) expected_empty.push_back(i);
    }
    const auto chosen = to_device<Device>(which);
    typename Device::template Buffer<std::uint32_t> out(8 * n + 1), none(n), sizes(2);
    on_one_warp(this->device, AppendRanges{family.data(), chosen.data(), std::uint32_t(n),
                                           out.data(), none.data(), sizes.data()});
    auto list = to_host(out), empty = to_host(none);
    const auto lengths = to_host(sizes);
    ASSERT_EQ(lengths[0], expected.size()) << n;
    ASSERT_EQ(lengths[1], expected_empty.size()) << n;
    list.resize(expected.size());
    empty.resize(expected_empty.size());
    EXPECT_TRUE(list == expected) << n;
    EXPECT_TRUE(empty == expected_empty) << n;
  }
}

/// Fills a list with 0, 1, 2, ... step by step, which makes it grow, and hands it out.
struct Grow {
  const std::uint32_t* number;
  std::uint32_t steps, step;
  std::uint32_t *out, *sizes;
  template <class Warp>
  void run() const {
    Integers<Warp> list;
    sizes[0] = list.size();
    for (std::uint32_t i = 0; i < steps; ++i) {
      list.reserve(step);
      Warp::copy(list.data() + list.size(), number + list.size(), step);
      list.resize(list.size() + step);
    }
    sizes[1] = list.size();
    Warp::copy(out, list.data(), list.size());
    list.clear();
    sizes[2] = list.size();
  }
};

TYPED_TEST(GrowingLists, KeepTheirElementsWhenTheyGrow) {
  using Device = typename TestFixture::Device;
  constexpr std::uint32_t steps = 1000;
  for (const std::uint32_t step : {1, 17, 300}) {
    const auto number = to_device<Device>(numbers(steps * step));
    typename Device::template Buffer<std::uint32_t> out(steps * step), sizes(3);
    on_one_warp(this->device, Grow{number.data(), steps, step, out.data(), sizes.data()});
    EXPECT_EQ(to_host(sizes), (std::vector<std::uint32_t>{0, steps * step, 0}));
    EXPECT_TRUE(to_host(out) == numbers(steps * step)) << "steps of " << step;
  }
}

struct GatherToMemory {
  const Vec4* base;
  const std::uint32_t* index;
  std::uint32_t n;
  Vec4* out;
  template <class Warp>
  void run() const {
    Warp::gather(out, base, index, n);
  }
};

TYPED_TEST(GrowingLists, GatherToMemoryWritesWhatWasAskedForAndNothingElse) {
  using Device = typename TestFixture::Device;
  std::vector<Vec4> records(200);
  for (std::size_t i = 0; i < records.size(); ++i) records[i] = {float(i), 1, 2, -float(i)};
  const auto base = to_device<Device>(records);
  for (std::uint32_t n = 0; n <= 100; ++n) {
    std::vector<std::uint32_t> indices(n);
    for (std::uint32_t i = 0; i < n; ++i) indices[i] = (i * 71 + 3) % 200;
    const auto index = to_device<Device>(indices);
    auto out = to_device<Device>(std::vector<Vec4>(120, Vec4{999, 999, 999, 999}));
    on_one_warp(this->device, GatherToMemory{base.data(), index.data(), n, out.data()});
    const auto gathered = to_host(out);
    for (std::uint32_t i = 0; i < gathered.size(); ++i) {
      const Vec4 expected = i < n ? records[indices[i]] : Vec4{999, 999, 999, 999};
      ASSERT_EQ(gathered[i].x, expected.x) << i << " of " << n;
      ASSERT_EQ(gathered[i].w, expected.w) << i << " of " << n;
    }
  }
}

}  // namespace
}  // namespace gothic
