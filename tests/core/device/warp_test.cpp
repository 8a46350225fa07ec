#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/device/warps.hpp"

/// What the lanes of a warp do together, and how they move data.
namespace gothic {
namespace {

using test::numbers;
using test::random_records;
using test::random_values;
using test::to_device;
using test::written;

constexpr Vec4 untouched{9, 9, 9, 9};

template <class Case>
class Warps : public test::OnDevice<Case> {
 protected:
  using Device = typename Case::Device;

  /// Numbers of elements that a warp meets, at least `least`.
  static std::vector<int> ragged(int least) {
    std::vector<int> result;
    constexpr int w = test::OnDevice<Case>::width;
    for (const int n : {0, 1, 2, w / 2, w - 1, w, w + 1, 3 * w + 5}) {
      if (n >= least) result.push_back(n);
    }
    return result;
  }

  /// A record from every lane.
  template <class F>
  std::vector<Vec4> lanes(F f) {
    return written(this->device, std::size_t(this->width), untouched, f);
  }
};
TYPED_TEST_SUITE(Warps, test::Devices);

/// Writes a record for every lane.
template <class Warp, class Float>
GOTHIC_HD void write_lanes(Vec4* out, const Float& x, const Float& y) {
  Warp::scatter(out, Warp::sequence(0), Warp::width, {x, y, x, y});
}

/// n places among the first 1000.
std::vector<std::uint32_t> scattered_places(int n) {
  std::vector<std::uint32_t> places(n);
  for (int i = 0; i < n; ++i) places[i] = std::uint32_t(i * 389 + 7) % 1000;
  return places;
}

struct FirstLanes {
  int n;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    const typename Warp::Float one = 1.0F, zero = 0.0F;
    write_lanes<Warp>(out, Warp::select(Warp::first(n), one, zero), zero);
  }
};

TYPED_TEST(Warps, FirstChoosesTheLowestLanes) {
  for (const int n : this->ragged(0)) {
    const auto lanes = this->lanes(FirstLanes{n});
    for (int lane = 0; lane < this->width; ++lane) {
      EXPECT_EQ(lanes[lane].x, lane < n ? 1 : 0) << "lane " << lane << " of first(" << n << ")";
    }
  }
}

/// Collectives of the mask value > 0 and of the values over all lanes.
struct Collective {
  int any, count;
  float min, max, sum, picked;
};

struct Collect {
  const float* value;
  template <class Warp>
  GOTHIC_HD void run(Collective* out) const {
    const auto x = Warp::gather(value, Warp::sequence(0));
    const auto mask = x > 0.0F;
    const bool any = Warp::any(mask);
    *out = {any,          Warp::count(mask), Warp::min(x),
            Warp::max(x), Warp::sum(x),      any ? Warp::pick(mask, x) : 0.0F};
  }
};

template <class Device>
Collective collect(const Device& device, const std::vector<float>& values) {
  const auto in = to_device<Device>(values);
  return written(device, 1, Collective{}, Collect{in.data()})[0];
}

TYPED_TEST(Warps, PickFindsTheValueOfTheFirstLaneInTheMask) {
  for (int first = 0; first < this->width; ++first) {
    for (int stride = 1; stride <= this->width; stride += 2) {
      std::vector<float> values(this->width, -1);
      for (int lane = first; lane < this->width; lane += stride) values[lane] = float(lane + 1);
      EXPECT_EQ(collect(this->device, values).picked, first + 1)
          << "lanes " << first << " + " << stride << " i";
    }
  }
}

TYPED_TEST(Warps, AnyAndCountSeeEveryLane) {
  const int width = this->width;
  const Collective none = collect(this->device, std::vector<float>(width, -1));
  EXPECT_FALSE(none.any);
  EXPECT_EQ(none.count, 0);
  for (int lane = 0; lane < width; ++lane) {
    std::vector<float> values(width, -1);
    values[lane] = 1;
    const Collective one = collect(this->device, values);
    EXPECT_TRUE(one.any) << lane;
    EXPECT_EQ(one.count, 1) << lane;
    for (float& value : values) value = -value;
    EXPECT_EQ(collect(this->device, values).count, width - 1) << lane;
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
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    Warp::scatter(out, Warp::sequence(0), Warp::width, Warp::gather(base, Warp::load(place, n)));
  }
};

TYPED_TEST(Warps, LoadRepeatsTheLastOfFewerElementsThanLanes) {
  using Device = typename TestFixture::Device;
  const auto records = random_records(1000);
  const auto base = to_device<Device>(records);
  for (const int n : this->ragged(1)) {
    const auto places = scattered_places(n);  // no more than n may be read
    const auto place = to_device<Device>(places);
    const auto lanes = this->lanes(GatherRecords{base.data(), place.data(), n});
    for (int lane = 0; lane < this->width; ++lane) {
      EXPECT_EQ(lanes[lane], records[places[std::min(lane, n - 1)]]) << lane << " of " << n;
    }
  }
}

struct ScatterRecords {
  const Vec4* base;
  const std::uint32_t* place;
  int n;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    Warp::scatter(out, Warp::load(place, Warp::width), n, Warp::gather(base, Warp::sequence(0)));
  }
};

TYPED_TEST(Warps, ScatterWritesTheFirstLanesAndNothingElse) {
  using Device = typename TestFixture::Device;
  const auto records = random_records(this->width);
  const auto base = to_device<Device>(records);
  std::vector<std::uint32_t> places(this->width);
  for (int i = 0; i < this->width; ++i) places[i] = std::uint32_t(3 * (this->width - i));
  const auto place = to_device<Device>(places);
  for (int n = 0; n <= this->width; ++n) {
    std::vector<Vec4> expected(4 * this->width, untouched);
    for (int i = 0; i < n; ++i) expected[places[i]] = records[i];
    EXPECT_EQ(written(this->device, expected.size(), untouched,
                      ScatterRecords{base.data(), place.data(), n}),
              expected)
        << n << " lanes";
  }
}

struct NumberLanes {
  std::uint32_t begin;
  const Vec4* base;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    Warp::scatter(out, Warp::sequence(0), Warp::width, Warp::gather(base, Warp::sequence(begin)));
  }
};

TYPED_TEST(Warps, SequenceNumbersTheLanes) {
  const auto records = random_records(1000);
  const auto base = to_device<typename TestFixture::Device>(records);
  for (const std::uint32_t begin : {0U, 1U, 500U}) {
    const auto lanes = this->lanes(NumberLanes{begin, base.data()});
    EXPECT_TRUE(std::equal(lanes.begin(), lanes.end(), records.begin() + begin)) << begin;
  }
}

/// A record to which `store` writes a lane's doubles.
struct Pair {
  double first, second;
};

struct StoreDoubles {
  int n;
  template <class Warp>
  GOTHIC_HD void run(Pair* out) const {
    const auto lane = Warp::make_double([](int i) { return double(i); });
    Warp::store(out, n, lane + 0.5, lane * lane);
  }
};

TYPED_TEST(Warps, StoreWritesTheDoublesOfTheFirstLanesAndNothingElse) {
  constexpr int width = TestFixture::Warp::double_width;
  for (int n = 0; n <= width; ++n) {
    const auto pairs = written(this->device, width + 1, Pair{-1, -1}, StoreDoubles{n});
    for (int lane = 0; lane <= width; ++lane) {
      EXPECT_EQ(pairs[lane].first, lane < n ? lane + 0.5 : -1) << lane << " of " << n;
      EXPECT_EQ(pairs[lane].second, lane < n ? lane * lane : -1) << lane << " of " << n;
    }
  }
}

template <class T>
struct Copy {
  const T* base;
  std::uint32_t n;
  template <class Warp>
  GOTHIC_HD void run(T* out) const {
    Warp::copy(out, base, n);
  }
};

/// Copies the first n of `values`, for all n up to 100.
template <class T, class Device>
void expect_copied(const Device& device, const std::vector<T>& values, const T& before) {
  const auto base = to_device<Device>(values);
  for (std::uint32_t n = 0; n <= 100; ++n) {
    std::vector<T> expected(120, before);
    std::copy_n(values.begin(), n, expected.begin());
    EXPECT_EQ(written(device, expected.size(), before, Copy<T>{base.data(), n}), expected);
  }
}

TYPED_TEST(Warps, CopyWritesWhatWasAskedForAndNothingElse) {
  expect_copied(this->device, random_records(200), untouched);
  expect_copied(this->device, numbers(200), 9999U);
}

struct Fill {
  std::uint32_t n;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    Warp::fill(out, n, Vec4{1, 2, 3, 4});
  }
};

TYPED_TEST(Warps, FillWritesWhatWasAskedForAndNothingElse) {
  for (const int n : this->ragged(0)) {
    std::vector<Vec4> expected(200, untouched);
    std::fill_n(expected.begin(), n, Vec4{1, 2, 3, 4});
    EXPECT_EQ(written(this->device, expected.size(), untouched, Fill{std::uint32_t(n)}), expected);
  }
}

struct GatherIntegers {
  const std::uint32_t *base, *place;
  const float* floats;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    const auto value = Warp::gather(base, Warp::load(place, Warp::width));
    const typename Warp::Float one = 1.0F, zero = 0.0F;
    // The gathered number is the place of a float, and shows whether it is zero.
    write_lanes<Warp>(out, Warp::gather(floats, value),
                      Warp::select(Warp::nonzero(value), one, zero));
  }
};

TYPED_TEST(Warps, GatherFindsTheNumbersOfEveryLaneAndNonzeroTellsThemFromZero) {
  using Device = typename TestFixture::Device;
  const auto values = random_values(1000);
  std::vector<std::uint32_t> base(500), places(this->width);
  for (std::uint32_t i = 0; i < 500; ++i) base[i] = i % 3 == 0 ? 0 : (i * 389) % 1000;
  for (int i = 0; i < this->width; ++i) places[i] = std::uint32_t(499 - 7 * i);
  const auto from = to_device<Device>(base), place = to_device<Device>(places);
  const auto floats = to_device<Device>(values);
  const auto lanes = this->lanes(GatherIntegers{from.data(), place.data(), floats.data()});
  for (int lane = 0; lane < this->width; ++lane) {
    const std::uint32_t value = base[places[lane]];
    EXPECT_EQ(lanes[lane].x, values[value]) << "lane " << lane;
    EXPECT_EQ(lanes[lane].y, value != 0 ? 1 : 0) << "lane " << lane;
  }
}

struct CountNonzero {
  const std::uint32_t* value;
  template <class Warp>
  GOTHIC_HD void run(int* out) const {
    *out = Warp::count(Warp::nonzero(Warp::load(value, Warp::width)));
  }
};

TYPED_TEST(Warps, NonzeroSeesEveryBit) {
  for (int bit = 0; bit < 32; ++bit) {
    std::vector<std::uint32_t> values(this->width, 0);
    for (int lane = bit % 2; lane < this->width; lane += 2) values[lane] = 1U << bit;
    const auto value = to_device<typename TestFixture::Device>(values);
    const auto count = written(this->device, 1, 0, CountNonzero{value.data()});
    EXPECT_EQ(count[0], this->width / 2) << "bit " << bit;
  }
}

/// The particle and the sum of each lane when lanes share particles.
struct Share {
  const std::uint32_t* place;
  int n, sharing;
  const float* value;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    write_lanes<Warp>(out, Warp::gather(value, Warp::load(place, n, sharing)),
                      Warp::sum_shared(Warp::gather(value, Warp::sequence(0)), sharing));
  }
};

TYPED_TEST(Warps, LanesThatShareHaveOneParticleAndTheSumOfTheirParts) {
  using Device = typename TestFixture::Device;
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float((i * 37 + 5) % 1009);
  const auto value = to_device<Device>(values);
  for (int sharing = 1; sharing <= TestFixture::Warp::most_sharing; sharing *= 2) {
    const int particles = this->width / sharing;  // of a register
    for (const int n : this->ragged(1)) {
      const auto places = scattered_places(n);  // no more than n may be read
      const auto place = to_device<Device>(places);
      const auto lanes = this->lanes(Share{place.data(), n, sharing, value.data()});
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
  std::uint32_t rounds;
  template <class Warp>
  GOTHIC_HD void run(Vec4* out) const {
    const typename Warp::template Rounds<sharing> of(base);
    const typename Warp::Float zero = 0.0F;
    for (std::uint32_t j = 0; j < rounds; ++j) {
      const auto record = of[j];
      Warp::scatter(out + j * Warp::width, Warp::sequence(0), Warp::width,
                    {zero + record.x, zero + record.y, zero + record.z, zero + record.w});
    }
  }
};

TYPED_TEST(Warps, EachPartOfTheLanesTakesItsOwnRecordOfARound) {
  test::for_each_sharing<typename TestFixture::Warp>([&]<int sharing>() {
    constexpr std::uint32_t rounds = 3;
    const auto records = random_records(int(rounds * sharing));  // no more may count
    const auto base = to_device<typename TestFixture::Device>(records);
    const auto taken = written(this->device, rounds * this->width, untouched,
                               TakeRounds<sharing>{base.data(), rounds});
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
      const std::uint32_t round = i / this->width, lane = i % this->width;
      const std::uint32_t part = lane / (this->width / sharing);
      EXPECT_EQ(taken[i], records[round * sharing + part])
          << "lane " << lane << " in round " << round << ", " << sharing << " share";
    }
  });
}

}  // namespace
}  // namespace gothic
