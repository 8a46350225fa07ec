#include <gtest/gtest.h>

#include <random>

#include "core/device/cpu/device.hpp"
#include "tests/core/device/warps.hpp"

/// A warp's own lists that grow, which only the CPU has.
namespace gothic::cpu {
namespace {

using test::Families;
using test::numbers;
using test::Span;

std::vector<std::uint32_t> elements(const List<std::uint32_t>& list) {
  return {list.data(), list.data() + list.size()};
}

TEST(GrowingLists, AppendRangesListsTheMembersAndTheEmptyOnes) {
  std::mt19937 generator(11);
  std::vector<Span> ranges(500);
  std::vector<std::uint32_t> packed;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i] = {std::uint32_t(generator() % 10000), std::uint32_t(i % 9)};
    packed.push_back(Families::pack(ranges[i]));
  }
  for (const std::size_t n : {0, 1, 15, 16, 17, 2000}) {
    std::vector<std::uint32_t> which(n), expected{12345}, expected_empty;
    for (std::uint32_t& i : which) {
      i = std::uint32_t(generator() % ranges.size());
      for (std::uint32_t k = 0; k < ranges[i].count; ++k) expected.push_back(ranges[i].first + k);
      if (ranges[i].count == 0) expected_empty.push_back(i);
    }
    List<std::uint32_t> list, empty;
    list.reserve(std::uint32_t(8 * n + 1));
    list.resize(1);
    *list.data() = 12345;  // what was there stays
    empty.reserve(std::uint32_t(n));
    Warp::append_ranges<Families>(list, empty, packed.data(), which.data(), std::uint32_t(n));
    EXPECT_EQ(elements(list), expected);
    EXPECT_EQ(elements(empty), expected_empty);
  }
}

TEST(GrowingLists, KeepTheirElementsWhenTheyGrow) {
  constexpr std::uint32_t steps = 1000;
  for (const std::uint32_t step : {1, 17, 300}) {
    const auto all = numbers(steps * step);
    List<std::uint32_t> list;
    EXPECT_EQ(list.size(), 0U);
    for (std::uint32_t i = 0; i < steps; ++i) {
      list.reserve(step);
      Warp::copy(list.data() + list.size(), all.data() + list.size(), step);
      list.resize(list.size() + step);
    }
    EXPECT_TRUE(elements(list) == all) << "steps of " << step;
    list.clear();
    EXPECT_EQ(list.size(), 0U);
  }
}

}  // namespace
}  // namespace gothic::cpu
