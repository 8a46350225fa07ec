#include <gtest/gtest.h>

#include <random>

#include "tests/device/warps.hpp"

/// A warp's own lists, and the ways to append to them.
namespace gothic {
namespace {

using test::numbers;
using test::on_one_warp;
using test::to_device;
using test::to_host;

template <class Case>
class WarpLists : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(WarpLists, test::Devices);

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
  GOTHIC_HD void operator()(Warp&) const {
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

TYPED_TEST(WarpLists, AppendKeepsTheOrderOfTheChosenLanes) {
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

TYPED_TEST(WarpLists, AppendOfEveryPatternOfEightLanesIsRight) {
  using Device = typename TestFixture::Device;
  const int lanes = std::min(8, this->width);
  const auto value = to_device<Device>(numbers(this->width));
  for (int pattern = 0; pattern < 1 << lanes; ++pattern) {
    std::vector<float> flags(this->width, 0);
    std::vector<std::uint32_t> expected;
    for (int lane = 0; lane < this->width; ++lane) {
      if ((pattern >> (lane % lanes) & 1) == 0) continue;
      flags[lane] = 1;
      expected.push_back(std::uint32_t(lane));
    }
    const auto flag = to_device<Device>(flags);
    typename Device::template Buffer<std::uint32_t> out(this->width), size(1);
    on_one_warp(this->device, AppendFlagged{value.data(), flag.data(), value.data(), this->width,
                                            out.data(), size.data()});
    auto list = to_host(out);
    list.resize(to_host(size)[0]);
    EXPECT_EQ(list, expected) << "pattern " << pattern;
  }
}

struct Span {
  std::uint32_t first, count;
};

/// Appends the ranges which[0..count) to a list that holds 12345 already.
struct AppendRanges {
  const Span* ranges;
  const std::uint32_t* which;
  std::uint32_t count;
  std::uint32_t *out, *none, *sizes;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    const std::uint32_t mark = 12345;
    Integers<Warp> list, empty;
    list.reserve(1);
    Warp::copy(list.data(), &mark, 1);
    list.resize(1);
    list.reserve(8 * count);
    empty.reserve(count);
    Warp::append_ranges(list, empty, ranges, which, count);
    Warp::copy(out, list.data(), list.size());
    Warp::copy(none, empty.data(), empty.size());
    sizes[0] = list.size();
    sizes[1] = empty.size();
  }
};

TYPED_TEST(WarpLists, AppendRangesListsTheMembersAndTheEmptyOnes) {
  using Device = typename TestFixture::Device;
  std::mt19937 generator(11);
  std::vector<Span> ranges(500);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i] = {std::uint32_t(generator() % 10000), std::uint32_t(i % 9)};
  }
  const auto range = to_device<Device>(ranges);
  for (const std::size_t n : {0, 1, this->width - 1, this->width, this->width + 1, 2000}) {
    std::vector<std::uint32_t> which(n), expected{12345}, expected_empty;
    for (std::uint32_t& i : which) {
      i = std::uint32_t(generator() % ranges.size());
      for (std::uint32_t k = 0; k < ranges[i].count; ++k) expected.push_back(ranges[i].first + k);
      if (ranges[i].count == 0) expected_empty.push_back(i);
    }
    const auto chosen = to_device<Device>(which);
    typename Device::template Buffer<std::uint32_t> out(8 * n + 1), none(n), sizes(2);
    on_one_warp(this->device, AppendRanges{range.data(), chosen.data(), std::uint32_t(n),
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
  GOTHIC_HD void operator()(Warp&) const {
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

TYPED_TEST(WarpLists, KeepTheirElementsWhenTheyGrow) {
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

}  // namespace
}  // namespace gothic
