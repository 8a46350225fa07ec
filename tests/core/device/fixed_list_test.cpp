#include "core/device/fixed_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/core/device/warps.hpp"

/// Lists in a warp's scratch, the ways to append to them, and the members of ranges that they name.
namespace gothic {
namespace {

using test::Families;
using test::numbers;
using test::on_one_warp;
using test::on_one_warp_with;
using test::Span;
using test::to_device;
using test::to_host;

template <class Case>
class FixedLists : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(FixedLists, test::Devices);

constexpr std::uint32_t room = 1000;

/// Memory for a list, and for the whole registers that may be written behind it.
template <class T>
struct Memory {
  T list[room + 32];
};

/// Appends the n values whose flag is positive, a warp's width at a time, and hands out the list.
template <class T>
struct Append {
  const T* base;  ///< the values are base[place[0..n)]
  const std::uint32_t* place;
  const float* flag;
  int n;
  T* out;
  std::uint32_t* size;
  template <class Warp>
  GOTHIC_HD void run(Memory<T>& memory) const {
    FixedList<T> list(memory.list);
    for (int begin = 0; begin < n; begin += Warp::width) {
      const int rest = n - begin;
      const auto flagged = Warp::gather(flag + begin, Warp::sequence(0)) > 0.0F;
      Warp::append(list, flagged && Warp::first(rest),
                   Warp::gather(base, Warp::load(place + begin, rest)));
    }
    Warp::copy(out, list.data(), list.size());
    *size = list.size();
  }
};

template <class T, class Device>
void expect_appended(const Device& device, const std::vector<T>& base,
                     const std::vector<std::uint32_t>& places, std::vector<float> flags) {
  std::vector<T> expected;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (flags[i] > 0) expected.push_back(base[places[i]]);
  }
  flags.resize(flags.size() + Device::Warp::width);
  const auto from = to_device<Device>(base);
  const auto place = to_device<Device>(places);
  const auto flag = to_device<Device>(flags);
  typename Device::template Buffer<T> out(places.size());
  typename Device::template Buffer<std::uint32_t> size(1);
  on_one_warp_with<Memory<T>>(device, Append<T>{from.data(), place.data(), flag.data(),
                                                int(places.size()), out.data(), size.data()});
  auto found = to_host(out);
  ASSERT_EQ(to_host(size)[0], expected.size());
  found.resize(expected.size());
  EXPECT_EQ(found, expected);
}

/// Appends to every kind of list.
template <class Device>
void expect_appended(const Device& device, const std::vector<std::uint32_t>& places,
                     const std::vector<float>& flags) {
  std::vector<std::uint32_t> integers(room);
  std::vector<float> numbers(room);
  for (std::uint32_t i = 0; i < room; ++i) numbers[i] = float(integers[i] = 7 * i + 1);
  expect_appended(device, integers, places, flags);
  expect_appended(device, numbers, places, flags);
  expect_appended(device, test::random_records(room), places, flags);
}

TYPED_TEST(FixedLists, AppendKeepsTheOrderOfTheChosenLanes) {
  std::mt19937 generator(7);
  for (const int n : {1, this->width - 1, this->width, this->width + 1, 100, int(room)}) {
    std::vector<std::uint32_t> values(n);
    std::vector<float> flags(n);
    for (int i = 0; i < n; ++i) {
      values[i] = std::uint32_t(generator() % room);
      flags[i] = generator() % 3 == 0 ? 1 : 0;
    }
    expect_appended(this->device, values, flags);
  }
}

TYPED_TEST(FixedLists, AppendOfEveryPatternOfEightLanesIsRight) {
  const int lanes = std::min(8, this->width);
  for (int pattern = 0; pattern < 1 << lanes; ++pattern) {
    std::vector<float> flags(this->width, 0);
    for (int lane = 0; lane < this->width; ++lane) {
      if ((pattern >> (lane % lanes) & 1) != 0) flags[lane] = 1;
    }
    expect_appended(this->device, numbers(this->width), flags);
  }
}

/// A random span of 1 to `longest` numbers.
Span random_span(std::mt19937& generator, std::uint32_t longest) {
  const auto first = std::uint32_t(generator() % 1000000);
  return {first, 1 + std::uint32_t(generator() % longest)};
}

/// Takes members off `families` until none is left. Writes each time how many there were, and all
/// lanes of the members taken.
struct TakeAll {
  const std::uint32_t* families;
  std::uint32_t count;
  std::uint32_t *taken, *lanes;
  template <class Warp>
  GOTHIC_HD void run(Memory<std::uint32_t>& memory) const {
    Warp::copy(memory.list, families, count);
    FixedList<std::uint32_t> list(memory.list);
    list.resize(count);
    for (std::uint32_t i = 0; list.size() > 0; ++i) {
      typename Warp::Index member;
      taken[i] = std::uint32_t(Warp::template take<Families>(list, member));
      FixedList<std::uint32_t> out(lanes + i * 2 * Warp::width);
      Warp::append(out, Warp::first(Warp::width), member);
    }
  }
};

template <class Device>
void expect_taken(const Device& device, const std::vector<Span>& families) {
  constexpr std::size_t width = Device::Warp::width;
  std::vector<std::uint32_t> packed, members;
  for (const Span& family : families) {
    packed.push_back(Families::pack(family));
    for (std::uint32_t k = 0; k < family.count; ++k) members.push_back(family.first + k);
  }
  const std::size_t takes = (members.size() + width - 1) / width;
  const auto in = to_device<Device>(packed);
  typename Device::template Buffer<std::uint32_t> taken(takes), lanes(2 * takes * width);
  on_one_warp_with<Memory<std::uint32_t>>(
      device, TakeAll{in.data(), std::uint32_t(packed.size()), taken.data(), lanes.data()});
  const auto counts = to_host(taken), found = to_host(lanes);
  for (std::size_t i = 0; i < takes; ++i) {
    const std::size_t n = std::min(width, members.size());
    std::vector<std::uint32_t> expected(members.end() - std::ptrdiff_t(n), members.end());
    members.resize(members.size() - n);
    expected.resize(width, expected.back());  // idle lanes repeat the last
    ASSERT_EQ(counts[i], n) << "take " << i << " of " << families.size() << " families";
    ASSERT_TRUE(
        std::equal(expected.begin(), expected.end(), found.begin() + std::ptrdiff_t(2 * i * width)))
        << "take " << i << " of " << families.size() << " families";
  }
}

TYPED_TEST(FixedLists, TakeGivesTheLastMembersUntilNoneIsLeft) {
  std::mt19937 generator(12);
  const auto width = std::uint32_t(this->width);
  for (const std::uint32_t n : {1U, 2U, 3U, (width + 7) / 8, width / 2, width, width + 1, 200U}) {
    for (std::uint32_t sample = 1; sample <= 30; ++sample) {
      std::vector<Span> families(n);
      for (Span& family : families) {
        family = random_span(generator, 8);
        if (sample <= 8) family.count = sample;  // all of one size
      }
      ASSERT_NO_FATAL_FAILURE(expect_taken(this->device, families));
    }
  }
}

/// Goes through the members of ranges[which[0..count)]: how many came at a time, and all lanes of
/// them.
struct Members {
  const Span* ranges;
  const std::uint32_t* which;
  std::uint32_t count;
  std::uint32_t *sizes, *lanes, *calls;
  template <class Warp>
  GOTHIC_HD void run() const {
    std::uint32_t call = 0;
    Warp::for_each_member(ranges, which, count, [&](const typename Warp::Index& index, int n) {
      FixedList<std::uint32_t> out(lanes + call * 2 * Warp::width);
      Warp::append(out, Warp::first(Warp::width), index);
      sizes[call++] = std::uint32_t(n);
    });
    *calls = call;
  }
};

/// \param longest length of the longest range; none is empty
template <class Device>
void expect_members(const Device& device, std::uint32_t count, std::uint32_t longest) {
  constexpr std::uint32_t width = Device::Warp::width;
  std::mt19937 generator(count + longest);
  std::vector<Span> ranges(100);
  for (Span& range : ranges) range = random_span(generator, longest);
  std::vector<std::uint32_t> which(count), expected;
  for (std::uint32_t& i : which) {
    i = std::uint32_t(generator() % ranges.size());
    for (std::uint32_t k = 0; k < ranges[i].count; ++k) expected.push_back(ranges[i].first + k);
  }
  const std::size_t most = expected.size() + 1;  // calls, if every one had one member
  const auto range = to_device<Device>(ranges);
  const auto chosen = to_device<Device>(which);
  typename Device::template Buffer<std::uint32_t> sizes(most), lanes(2 * most * width), calls(1);
  on_one_warp(device, Members{range.data(), chosen.data(), count, sizes.data(), lanes.data(),
                              calls.data()});
  const auto size = to_host(sizes), lane = to_host(lanes);
  std::vector<std::uint32_t> found;
  const std::uint32_t call_count = to_host(calls)[0];
  for (std::uint32_t call = 0; call < call_count; ++call) {
    ASSERT_GE(size[call], 1U);
    ASSERT_LE(size[call], width);
    const auto begin = lane.begin() + 2 * call * width;
    found.insert(found.end(), begin, begin + size[call]);
    // The members in idle lanes must be valid, too.
    for (std::uint32_t idle = size[call]; idle < width; ++idle) ASSERT_LT(begin[idle], 2000000U);
  }
  EXPECT_TRUE(found == expected) << count << " ranges of up to " << longest;
  // Lanes are not left idle but at the end of a warp's width of ranges.
  EXPECT_LE(call_count, expected.size() / width + count / width + 2);
}

TYPED_TEST(FixedLists, MembersOfRangesComeInOrderAndNoneTwice) {
  const auto width = std::uint32_t(this->width);
  for (const std::uint32_t count : {0U, 1U, 2U, width - 1, width, width + 1, 2 * width, 150U}) {
    for (const std::uint32_t longest : {1U, 2U, 8U, 16U, width + 1, 500U}) {
      ASSERT_NO_FATAL_FAILURE(expect_members(this->device, count, longest));
    }
  }
}

}  // namespace
}  // namespace gothic
