#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/device/warps.hpp"

/// What the lanes of a warp do together, and how they move data.
namespace gothic {
namespace {

using test::numbers;
using test::on_one_warp;
using test::to_device;
using test::to_host;

template <class Case>
class Warps : public test::OnDevice<Case> {
 protected:
  /// Numbers of elements that a warp meets, at least `least`.
  static std::vector<int> ragged(int least) {
    std::vector<int> result;
    constexpr int w = test::OnDevice<Case>::width;
    for (const int n : {0, 1, 2, w / 2, w - 1, w, w + 1, 3 * w + 5}) {
      if (n >= least) result.push_back(n);
    }
    return result;
  }
};
TYPED_TEST_SUITE(Warps, test::Devices);

std::vector<float> random_values(int n) {
  std::mt19937 generator(n);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float& value : values) value = uniform(generator);
  return values;
}

std::vector<Vec4> random_records(int n) {
  const std::vector<float> values = random_values(4 * n);
  std::vector<Vec4> records(n);
  for (int i = 0; i < n; ++i) {
    records[i] = {values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]};
  }
  return records;
}

bool same(const Vec4& a, const Vec4& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

struct FirstLanes {
  int n;
  const std::uint32_t* place;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    const typename Warp::Float one = 1.0F, zero = 0.0F;
    const auto chosen = Warp::select(Warp::first(n), one, zero);
    Warp::scatter(out, Warp::load(place, Warp::width), Warp::width, {chosen, zero, zero, zero});
  }
};

TYPED_TEST(Warps, FirstChoosesTheLowestLanes) {
  using Device = typename TestFixture::Device;
  const auto place = to_device<Device>(numbers(this->width));
  for (const int n : this->ragged(0)) {
    typename Device::template Buffer<Vec4> out(this->width);
    on_one_warp(this->device, FirstLanes{n, place.data(), out.data()});
    const auto lanes = to_host(out);
    for (int lane = 0; lane < this->width; ++lane) {
      EXPECT_EQ(lanes[lane].x, lane < n ? 1 : 0) << "lane " << lane << " of first(" << n << ")";
    }
  }
}

/// What the mask value > 0 and the values themselves come to over all lanes.
struct Collective {
  int any, all, count;
  float min, max, sum;
};

struct Collect {
  const float* value;
  const std::uint32_t* place;
  Collective* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    const auto x = Warp::gather(value, Warp::load(place, Warp::width));
    const auto mask = x > 0.0F;
    *out = {Warp::any(mask), Warp::all(mask), Warp::count(mask),
            Warp::min(x),    Warp::max(x),    Warp::sum(x)};
  }
};

template <class Device>
Collective collect(const Device& device, const std::vector<float>& values) {
  const auto in = to_device<Device>(values);
  const auto place = to_device<Device>(numbers(values.size()));
  typename Device::template Buffer<Collective> out(1);
  on_one_warp(device, Collect{in.data(), place.data(), out.data()});
  return to_host(out)[0];
}

TYPED_TEST(Warps, AnyAllAndCountSeeEveryLane) {
  const int width = this->width;
  const Collective none = collect(this->device, std::vector<float>(width, -1));
  EXPECT_FALSE(none.any);
  EXPECT_FALSE(none.all);
  EXPECT_EQ(none.count, 0);
  const Collective every = collect(this->device, std::vector<float>(width, 1));
  EXPECT_TRUE(every.any);
  EXPECT_TRUE(every.all);
  EXPECT_EQ(every.count, width);
  for (int lane = 0; lane < width; ++lane) {
    std::vector<float> values(width, -1);
    values[lane] = 1;
    const Collective one = collect(this->device, values);
    EXPECT_TRUE(one.any) << lane;
    EXPECT_EQ(one.count, 1) << lane;
    for (float& value : values) value = -value;
    const Collective others = collect(this->device, values);
    EXPECT_FALSE(others.all) << lane;
    EXPECT_EQ(others.count, width - 1) << lane;
  }
}

TYPED_TEST(Warps, MinMaxAndSumSeeEveryLane) {
  for (int lane = 0; lane < this->width; ++lane) {
    std::vector<float> values(this->width, 0.5F);
    values[lane] = -3;
    EXPECT_EQ(collect(this->device, values).min, -3) << lane;
    values[lane] = 8;
    EXPECT_EQ(collect(this->device, values).max, 8) << lane;
    EXPECT_EQ(collect(this->device, values).sum, 8 + 0.5F * float(this->width - 1)) << lane;
  }
}

struct GatherRecords {
  const Vec4* base;
  const std::uint32_t* place;
  int n;
  const std::uint32_t* lane;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    Warp::scatter(out, Warp::load(lane, Warp::width), Warp::width,
                  Warp::gather(base, Warp::load(place, n)));
  }
};

TYPED_TEST(Warps, LoadRepeatsTheLastOfFewerElementsThanLanes) {
  using Device = typename TestFixture::Device;
  const auto records = random_records(1000);
  const auto base = to_device<Device>(records);
  const auto lane_numbers = to_device<Device>(numbers(this->width));
  for (const int n : this->ragged(1)) {
    std::vector<std::uint32_t> places(n);  // no more than n may be read
    for (int i = 0; i < n; ++i) places[i] = std::uint32_t(i * 389 + 7) % 1000;
    const auto place = to_device<Device>(places);
    typename Device::template Buffer<Vec4> out(this->width);
    on_one_warp(this->device,
                GatherRecords{base.data(), place.data(), n, lane_numbers.data(), out.data()});
    const auto lanes = to_host(out);
    for (int lane = 0; lane < this->width; ++lane) {
      EXPECT_TRUE(same(lanes[lane], records[places[std::min(lane, n - 1)]]))
          << "lane " << lane << " of " << n;
    }
  }
}

struct GatherFloats {
  const float* base;
  const std::uint32_t *place, *lane;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    const auto value = Warp::gather(base, Warp::load(place, Warp::width));
    Warp::scatter(out, Warp::load(lane, Warp::width), Warp::width, {value, value, value, value});
  }
};

TYPED_TEST(Warps, GatherFindsTheFloatOfEveryLane) {
  using Device = typename TestFixture::Device;
  const auto values = random_values(1000);
  const auto base = to_device<Device>(values);
  std::vector<std::uint32_t> places(this->width);
  for (int i = 0; i < this->width; ++i) places[i] = std::uint32_t(999 - 31 * i);
  const auto place = to_device<Device>(places);
  const auto lane_numbers = to_device<Device>(numbers(this->width));
  typename Device::template Buffer<Vec4> out(this->width);
  on_one_warp(this->device,
              GatherFloats{base.data(), place.data(), lane_numbers.data(), out.data()});
  const auto lanes = to_host(out);
  for (int lane = 0; lane < this->width; ++lane) {
    EXPECT_EQ(lanes[lane].x, values[places[lane]]);
  }
}

struct ScatterRecords {
  const Vec4* base;
  const std::uint32_t *lane, *place;
  int n;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    const auto value = Warp::gather(base, Warp::load(lane, Warp::width));
    Warp::scatter(out, Warp::load(place, Warp::width), n, value);
  }
};

TYPED_TEST(Warps, ScatterWritesTheFirstLanesAndNothingElse) {
  using Device = typename TestFixture::Device;
  const auto records = random_records(this->width);
  const auto base = to_device<Device>(records);
  const auto lane_numbers = to_device<Device>(numbers(this->width));
  std::vector<std::uint32_t> places(this->width);
  for (int i = 0; i < this->width; ++i) places[i] = std::uint32_t(3 * (this->width - i));
  const auto place = to_device<Device>(places);
  for (int n = 0; n <= this->width; ++n) {
    auto out = to_device<Device>(std::vector<Vec4>(4 * this->width, Vec4{9, 9, 9, 9}));
    on_one_warp(this->device,
                ScatterRecords{base.data(), lane_numbers.data(), place.data(), n, out.data()});
    std::vector<Vec4> expected(4 * this->width, Vec4{9, 9, 9, 9});
    for (int i = 0; i < n; ++i) expected[places[i]] = records[i];
    EXPECT_TRUE(std::ranges::equal(to_host(out), expected, same)) << n << " lanes";
  }
}

struct NumberLanes {
  std::uint32_t begin;
  const Vec4* base;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    Warp::scatter(out, Warp::sequence(0), Warp::width, Warp::gather(base, Warp::sequence(begin)));
  }
};

TYPED_TEST(Warps, SequenceNumbersTheLanes) {
  using Device = typename TestFixture::Device;
  const auto records = random_records(1000);
  const auto base = to_device<Device>(records);
  for (const std::uint32_t begin : {0U, 1U, 500U}) {
    typename Device::template Buffer<Vec4> out(this->width);
    on_one_warp(this->device, NumberLanes{begin, base.data(), out.data()});
    const auto lanes = to_host(out);
    for (int lane = 0; lane < this->width; ++lane) {
      EXPECT_TRUE(same(lanes[lane], records[begin + lane])) << "lane " << lane;
    }
  }
}

/// What `store` writes a lane's doubles to.
struct Pair {
  double first, second;
};

struct StoreDoubles {
  int n;
  Pair* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    const auto lane = Warp::make_double([](int i) { return double(i); });
    Warp::store(out, n, lane + 0.5, lane * lane);
  }
};

TYPED_TEST(Warps, StoreWritesTheDoublesOfTheFirstLanesAndNothingElse) {
  using Device = typename TestFixture::Device;
  constexpr int width = TestFixture::Warp::double_width;
  for (int n = 0; n <= width; ++n) {
    auto out = to_device<Device>(std::vector<Pair>(width + 1, Pair{-1, -1}));
    on_one_warp(this->device, StoreDoubles{n, out.data()});
    const auto pairs = to_host(out);
    for (int lane = 0; lane <= width; ++lane) {
      EXPECT_EQ(pairs[lane].first, lane < n ? lane + 0.5 : -1) << lane << " of " << n;
      EXPECT_EQ(pairs[lane].second, lane < n ? lane * lane : -1) << lane << " of " << n;
    }
  }
}

struct CopyRecords {
  const Vec4* base;
  const std::uint32_t* index;
  std::uint32_t n;
  Vec4 *copied, *gathered;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    Warp::copy(copied, base, n);
    Warp::gather(gathered, base, index, n);
  }
};

TYPED_TEST(Warps, CopyAndGatherToMemoryWriteWhatWasAskedForAndNothingElse) {
  using Device = typename TestFixture::Device;
  const auto records = random_records(200);
  const auto base = to_device<Device>(records);
  for (std::uint32_t n = 0; n <= 100; ++n) {
    std::vector<std::uint32_t> indices(n);
    for (std::uint32_t i = 0; i < n; ++i) indices[i] = (i * 71 + 3) % 200;
    const auto index = to_device<Device>(indices);
    const std::vector<Vec4> blank(120, Vec4{9, 9, 9, 9});
    auto copied = to_device<Device>(blank), gathered = to_device<Device>(blank);
    on_one_warp(this->device,
                CopyRecords{base.data(), index.data(), n, copied.data(), gathered.data()});
    std::vector<Vec4> expected_copy = blank, expected_gather = blank;
    for (std::uint32_t i = 0; i < n; ++i) {
      expected_copy[i] = records[i];
      expected_gather[i] = records[indices[i]];
    }
    EXPECT_TRUE(std::ranges::equal(to_host(copied), expected_copy, same)) << n;
    EXPECT_TRUE(std::ranges::equal(to_host(gathered), expected_gather, same)) << n;
  }
}

struct CopyIntegers {
  const std::uint32_t* base;
  std::uint32_t n;
  std::uint32_t* out;
  template <class Warp>
  GOTHIC_HD void operator()(Warp&) const {
    Warp::copy(out, base, n);
  }
};

TYPED_TEST(Warps, CopyOfIntegersWritesWhatWasAskedForAndNothingElse) {
  using Device = typename TestFixture::Device;
  const auto base = to_device<Device>(numbers(2000));
  for (const int n : this->ragged(0)) {
    auto out = to_device<Device>(std::vector<std::uint32_t>(1000, 9999));
    on_one_warp(this->device, CopyIntegers{base.data() + 100, std::uint32_t(n), out.data()});
    std::vector<std::uint32_t> expected(1000, 9999);
    for (int i = 0; i < n; ++i) expected[i] = std::uint32_t(100 + i);
    EXPECT_EQ(to_host(out), expected) << n;
  }
}

}  // namespace
}  // namespace gothic
