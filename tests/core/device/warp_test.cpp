#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/core/device/warps.hpp"

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
  GOTHIC_HD void run() const {
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
  GOTHIC_HD void run() const {
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

struct Pick {
  const float *value, *flag;
  const std::uint32_t* place;
  float* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    const auto lanes = Warp::load(place, Warp::width);
    *out = Warp::pick(Warp::gather(flag, lanes) > 0.0F, Warp::gather(value, lanes));
  }
};

TYPED_TEST(Warps, PickFindsTheValueOfTheFirstLaneInTheMask) {
  using Device = typename TestFixture::Device;
  const auto values = random_values(this->width);
  const auto value = to_device<Device>(values);
  const auto place = to_device<Device>(numbers(this->width));
  typename Device::template Buffer<float> out(1);
  for (int first = 0; first < this->width; ++first) {
    for (int stride = 1; stride <= this->width; stride += 2) {
      std::vector<float> flags(this->width, -1);
      for (int lane = first; lane < this->width; lane += stride) flags[lane] = 1;
      const auto flag = to_device<Device>(flags);
      on_one_warp(this->device, Pick{value.data(), flag.data(), place.data(), out.data()});
      EXPECT_EQ(to_host(out)[0], values[first]) << "lanes " << first << " + " << stride << " i";
    }
  }
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
  GOTHIC_HD void run() const {
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
  GOTHIC_HD void run() const {
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
  GOTHIC_HD void run() const {
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
  GOTHIC_HD void run() const {
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
  GOTHIC_HD void run() const {
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
  std::uint32_t n;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    Warp::copy(out, base, n);
  }
};

TYPED_TEST(Warps, CopyOfRecordsWritesWhatWasAskedForAndNothingElse) {
  using Device = typename TestFixture::Device;
  const auto records = random_records(200);
  const auto base = to_device<Device>(records);
  for (std::uint32_t n = 0; n <= 100; ++n) {
    std::vector<Vec4> expected(120, Vec4{9, 9, 9, 9});
    auto out = to_device<Device>(expected);
    on_one_warp(this->device, CopyRecords{base.data(), n, out.data()});
    std::copy_n(records.begin(), n, expected.begin());
    EXPECT_TRUE(std::ranges::equal(to_host(out), expected, same)) << n;
  }
}

struct CopyIntegers {
  const std::uint32_t* base;
  std::uint32_t n;
  std::uint32_t* out;
  template <class Warp>
  GOTHIC_HD void run() const {
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

struct GatherIntegers {
  const std::uint32_t *base, *place, *lane;
  const float* flags;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    const auto value = Warp::gather(base, Warp::load(place, Warp::width));
    const typename Warp::Float one = 1.0F, zero = 0.0F;
    // What was gathered is the place of a float, and says by itself whether it is zero.
    const auto flag = Warp::gather(flags, value);
    const auto nonzero = Warp::select(Warp::nonzero(value), one, zero);
    Warp::scatter(out, Warp::load(lane, Warp::width), Warp::width, {flag, nonzero, zero, zero});
  }
};

TYPED_TEST(Warps, GatherFindsTheIntegerOfEveryLaneAndNonzeroTellsItFromZero) {
  using Device = typename TestFixture::Device;
  const auto values = random_values(1000);
  std::vector<std::uint32_t> base(500), places(this->width);
  for (std::uint32_t i = 0; i < 500; ++i) base[i] = i % 3 == 0 ? 0 : (i * 389) % 1000;
  for (int i = 0; i < this->width; ++i) places[i] = std::uint32_t(499 - 7 * i);
  const auto from = to_device<Device>(base), place = to_device<Device>(places);
  const auto lane_numbers = to_device<Device>(numbers(this->width));
  const auto flags = to_device<Device>(values);
  typename Device::template Buffer<Vec4> out(this->width);
  on_one_warp(this->device, GatherIntegers{from.data(), place.data(), lane_numbers.data(),
                                           flags.data(), out.data()});
  const auto lanes = to_host(out);
  for (int lane = 0; lane < this->width; ++lane) {
    const std::uint32_t value = base[places[lane]];
    EXPECT_EQ(lanes[lane].x, values[value]) << "lane " << lane;
    EXPECT_EQ(lanes[lane].y, value != 0 ? 1 : 0) << "lane " << lane;
  }
}

struct CountNonzero {
  const std::uint32_t* value;
  int* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    *out = Warp::count(Warp::nonzero(Warp::load(value, Warp::width)));
  }
};

TYPED_TEST(Warps, NonzeroSeesEveryBit) {
  using Device = typename TestFixture::Device;
  typename Device::template Buffer<int> out(1);
  for (int bit = 0; bit < 32; ++bit) {
    std::vector<std::uint32_t> values(this->width, 0);
    for (int lane = bit % 2; lane < this->width; lane += 2) values[lane] = 1U << bit;
    const auto value = to_device<Device>(values);
    on_one_warp(this->device, CountNonzero{value.data(), out.data()});
    EXPECT_EQ(to_host(out)[0], this->width / 2) << "bit " << bit;
  }
}

/// What the lanes that share find: their particle and a sum.
struct Share {
  const std::uint32_t* place;
  int n, sharing;
  const float* value;
  const std::uint32_t* lane;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    const auto lanes = Warp::load(lane, Warp::width);
    const auto loaded = Warp::gather(value, Warp::load(place, n, sharing));
    const auto sum = Warp::sum_shared(Warp::gather(value, lanes), sharing);
    Warp::scatter(out, lanes, Warp::width, {loaded, sum, sum, sum});
  }
};

TYPED_TEST(Warps, LanesThatShareHaveOneParticleAndTheSumOfTheirParts) {
  using Device = typename TestFixture::Device;
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float((i * 37 + 5) % 1009);
  const auto value = to_device<Device>(values);
  const auto lane_numbers = to_device<Device>(numbers(this->width));
  for (int sharing = 1; sharing <= TestFixture::Warp::most_sharing; sharing *= 2) {
    const int particles = this->width / sharing;  // of a register
    for (const int n : this->ragged(1)) {
      std::vector<std::uint32_t> places(n);  // no more than n may be read
      for (int i = 0; i < n; ++i) places[i] = std::uint32_t(i * 389 + 7) % 1000;
      const auto place = to_device<Device>(places);
      typename Device::template Buffer<Vec4> out(this->width);
      on_one_warp(this->device,
                  Share{place.data(), n, sharing, value.data(), lane_numbers.data(), out.data()});
      const auto lanes = to_host(out);
      for (int lane = 0; lane < this->width; ++lane) {
        const int particle = lane % particles;
        float sum = 0;
        for (int other = particle; other < this->width; other += particles) sum += values[other];
        EXPECT_EQ(lanes[lane].x, values[places[std::min(particle, n - 1)]])
            << "lane " << lane << " of " << n << ", " << sharing << " share";
        EXPECT_EQ(lanes[lane].y, sum) << lane << ", " << sharing << " share";
      }
    }
  }
}

/// What the lanes take in each of some rounds.
template <int sharing>
struct TakeRounds {
  const Vec4* base;
  const std::uint32_t* lane;
  std::uint32_t rounds;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    const typename Warp::template Rounds<sharing> of(base);
    const auto lanes = Warp::load(lane, Warp::width);
    const typename Warp::Float zero = 0.0F;
    for (std::uint32_t j = 0; j < rounds; ++j) {
      const auto record = of[j];
      Warp::scatter(out + j * Warp::width, lanes, Warp::width,
                    {zero + record.x, zero + record.y, zero + record.z, zero + record.w});
    }
  }
};

TYPED_TEST(Warps, EachPartOfTheLanesTakesItsOwnRecordOfARound) {
  using Device = typename TestFixture::Device;
  constexpr std::uint32_t rounds = 3;
  const auto expect = [&]<int sharing>() {
    if constexpr (sharing <= TestFixture::Warp::most_sharing) {
      const auto records = random_records(int(rounds * sharing));  // no more may count
      const auto base = to_device<Device>(records);
      const auto lane_numbers = to_device<Device>(numbers(this->width));
      typename Device::template Buffer<Vec4> out(rounds * this->width);
      on_one_warp(this->device,
                  TakeRounds<sharing>{base.data(), lane_numbers.data(), rounds, out.data()});
      const auto taken = to_host(out);
      for (std::uint32_t i = 0; i < taken.size(); ++i) {
        const std::uint32_t round = i / this->width, lane = i % this->width;
        const std::uint32_t part = lane / (this->width / sharing);
        EXPECT_TRUE(same(taken[i], records[round * sharing + part]))
            << "lane " << lane << " in round " << round << ", " << sharing << " share";
      }
    }
  };
  expect.template operator()<1>();
  expect.template operator()<2>();
  expect.template operator()<4>();
  expect.template operator()<8>();
  expect.template operator()<16>();
  expect.template operator()<32>();
}

struct Fill {
  std::uint32_t n;
  Vec4* out;
  template <class Warp>
  GOTHIC_HD void run() const {
    Warp::fill(out, n, Vec4{1, 2, 3, 4});
  }
};

TYPED_TEST(Warps, FillWritesWhatWasAskedForAndNothingElse) {
  using Device = typename TestFixture::Device;
  for (const int n : this->ragged(0)) {
    std::vector<Vec4> expected(200, Vec4{9, 9, 9, 9});
    auto out = to_device<Device>(expected);
    on_one_warp(this->device, Fill{std::uint32_t(n), out.data()});
    std::fill_n(expected.begin(), n, Vec4{1, 2, 3, 4});
    EXPECT_TRUE(std::ranges::equal(to_host(out), expected, same)) << n;
  }
}

}  // namespace
}  // namespace gothic
