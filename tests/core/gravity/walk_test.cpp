#include "core/gravity/walk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "tests/core/gravity/walks.hpp"

/// Walks of single groups, and what they have in common with walks of bundles.
namespace gothic {
namespace {

using namespace test;

/// Two ways to walk.
struct Single {
  template <int K, class Device>
  static Walked walk(Walks<Device>& walks, const Acceptance& acceptance, int sharing = 1,
                     const Neighbourhood& neighbours = {}) {
    return walks.template in_groups<K>(acceptance, sharing, 0, neighbours);
  }
};
struct Bundled {
  template <int K, class Device>
  static Walked walk(Walks<Device>& walks, const Acceptance& acceptance, int sharing = 1,
                     const Neighbourhood& neighbours = {}) {
    return walks.template in_bundles<K, 4>(acceptance, sharing, 0, neighbours);
  }
};

template <class DeviceCase, class WalkKind>
struct WalkCase : DeviceCase {
  using Kind = WalkKind;
};
using OneThread = DeviceCase<OwnDevice, 1>;
using TwoThreads = DeviceCase<OwnDevice, 2>;
using WalkCases = std::conditional_t<
    GrowingLists<OwnDevice::Warp>,
    ::testing::Types<WalkCase<OneThread, Single>, WalkCase<TwoThreads, Single>,
                     WalkCase<OneThread, Bundled>, WalkCase<TwoThreads, Bundled>>,
    ::testing::Types<WalkCase<OneThread, Single>>>;

template <class Case>
class AnyWalk : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;
  using Kind = typename Case::Kind;
  static constexpr int most_per_lane = Device::Defaults::most_per_lane;
};
TYPED_TEST_SUITE(AnyWalk, WalkCases);

TYPED_TEST(AnyWalk, GivesTheSameForAnyNumberOfLanesThatShareAParticle) {
  constexpr int most_per_lane = TestFixture::most_per_lane;
  for (int size = std::min(64, most_per_lane * this->width); size >= 1; size /= 2) {
    Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16, size);
    const int most = std::min(most_per_lane * this->width / size, TestFixture::Warp::most_sharing);
    for_each_acceptance([&](const Acceptance& acceptance) {
      const Walked alone = TestFixture::Kind::template walk<most_per_lane>(walks, acceptance);
      // The two walks must be right, not only alike.
      EXPECT_LT(percentile(errors_of(alone.forces, walks.reference()), 0.5), 0.02);
      for (int sharing = 2; sharing <= most; sharing *= 2) {
        SCOPED_TRACE(std::to_string(sharing) + " share, groups of " + std::to_string(size));
        expect_same(TestFixture::Kind::template walk<most_per_lane>(walks, acceptance, sharing),
                    alone);
      }
    });
  }
}

TYPED_TEST(AnyWalk, FindsTheSameSourcesWithAListOfAnyLength) {
  const auto width = std::uint32_t(this->width);
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16, width);
  for_each_acceptance([&](const Acceptance& acceptance) {
    walks.list_capacity = 1000;
    const Walked one = TestFixture::Kind::template walk<1>(walks, acceptance);
    for (const std::uint32_t capacity : {width, width + 1, 3 * width, 500U}) {
      walks.list_capacity = capacity;
      expect_same(TestFixture::Kind::template walk<1>(walks, acceptance), one);
    }
  });
}

TYPED_TEST(AnyWalk, GivesTheSameForAnyNumberOfParticlesPerLane) {
  // Idle lanes change nothing.
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16,
                                            std::min(8, this->width));
  for_each_acceptance([&](const Acceptance& acceptance) {
    using Kind = typename TestFixture::Kind;
    const Walked one = Kind::template walk<1>(walks, acceptance);
    expect_same(Kind::template walk<2>(walks, acceptance), one);
    expect_same(Kind::template walk<TestFixture::most_per_lane>(walks, acceptance), one);
  });
}

TYPED_TEST(AnyWalk, SumsEveryPairWhereNoCellMayActAsAWhole) {
  // The list of sources is filled several times, by leaves that do not fit into it.
  const auto width = std::uint32_t(this->width);
  for (const std::uint32_t capacity : {1, 7, 100, 1000, 5000}) {
    for (const std::uint32_t size : {1U, width}) {
      Walks<typename TestFixture::Device> walks(this->device, plummer_sphere(3001), capacity, size);
      const Walked all = TestFixture::Kind::template walk<1>(walks, nothing);
      EXPECT_LT(percentile(errors_of(all.forces, walks.reference()), 1), 1e-5) << capacity;
      EXPECT_EQ(sum_of(all.interactions), 3001U * 3001U) << capacity;
    }
  }
}

/// Small groups, which few active particles make.
TYPED_TEST(AnyWalk, GivesSmallGroupsTheForcesThatTheyGetAmongTheirNeighbours) {
  constexpr std::uint32_t n = 4003;
  const auto size = 2 * std::uint32_t(this->width);
  Walks<typename TestFixture::Device> groups(this->device, cuspy_sphere(n), 16, size);
  Walks<typename TestFixture::Device> small(this->device, cuspy_sphere(n), 16, 4);
  for_each_acceptance([&](const Acceptance& acceptance) {
    const Walked together = groups.template in_groups<2>(acceptance);
    const Walked alone =
        TestFixture::Kind::template walk<1>(small, acceptance, this->width / 4, {n, size});
    EXPECT_EQ(sum_of(alone.interactions), sum_of(together.interactions));
    EXPECT_EQ(sum_of(alone.pairs[Order::quadrupole]), sum_of(together.pairs[Order::quadrupole]));
    EXPECT_LT(percentile(differences(alone, together), 0.99), 1e-5);
    EXPECT_LT(percentile(errors_of(alone.forces, small.reference()), 0.5), 0.02);
  });
}

template <class Case>
class GroupWalk : public OnDevice<Case> {};
TYPED_TEST_SUITE(GroupWalk, Devices);

TYPED_TEST(GroupWalk, GivesTheSameForcesWhereWideGroupsAreSplit) {
  constexpr std::uint32_t n = 3975;  // the last group has 7 particles, and is split like others
  constexpr int most_per_lane = TestFixture::Device::Defaults::most_per_lane;
  const auto size = std::uint32_t(std::min(64, most_per_lane * this->width));
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(n), 16, size);
  walks.shuffle_targets();
  Walks<typename TestFixture::Device> singles(this->device, cuspy_sphere(n), 16, 1);
  for_each_acceptance([&](const Acceptance& acceptance) {
    const int sharing =
        std::min(most_per_lane * this->width / int(size), TestFixture::Warp::most_sharing);
    const Walked whole = walks.template in_groups<most_per_lane>(acceptance, sharing);
    // No particle is more exposed to the errors of cells than one that walks alone.
    const Walked alone = singles.template in_groups<1>(acceptance);
    const double bound = 1.05 * percentile(errors_of(alone.forces, singles.reference()), 0.99);
    const Walked parts = walks.template in_groups<most_per_lane>(acceptance, sharing, 1);
    EXPECT_LT(percentile(errors_of(parts.forces, walks.reference()), 0.99), bound);
    EXPECT_LT(double(sum_of(parts.interactions)), 0.7 * double(sum_of(whole.interactions)));
    EXPECT_EQ(parts.interactions.back(), 0U);
    const Walked again = walks.template in_groups<most_per_lane>(acceptance, sharing, 1);
    EXPECT_EQ(sum_of(again.interactions), sum_of(parts.interactions));
    EXPECT_EQ(sum_of(again.cells_judged), sum_of(parts.cells_judged));
  });
}

/// A plain walk on the host, one cell after the other, in double precision.
class HostWalk {
 public:
  template <class Device>
  HostWalk(const Walks<Device>& walks, const Acceptance& acceptance)
      : cells_(walks.tree()),
        center_(to_host(walks.tree().center)),
        reach_(to_host(walks.tree().reach)) {
    for (const Range& group : walks.ranges()) {
      const auto begin = walks.particles().begin() + group.first;
      const MassPoints members(begin, begin + group.count);
      const auto old = walks.reference().begin() + group.first;
      double smallest = 1e30;
      for (std::uint32_t i = 0; i < group.count; ++i) {
        const double least = least_share * old[i].potential * old[i].potential / center_[0].w;
        smallest = std::min(smallest, std::max(length(old[i]), least));
      }
      order_ = acceptance.order;
      walk(members, acceptance.scale(float(smallest)),
           acceptance.of_points().scale(float(smallest)));
    }
  }

  std::vector<std::uint64_t> interactions, cells_judged;
  PerOrder<std::vector<std::uint64_t>> pairs;

 private:
  void walk(const MassPoints& group, double scale, double point_scale) {
    Vec4 low = group[0], high = low;
    for (const Vec4& p : group) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z), 0};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z), 0};
    }
    const Vec4 ball{(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2, 0};
    double extent = 0;
    for (const Vec4& p : group) extent = std::max(extent, distance(p, ball));
    std::uint64_t sources = 0, of_quadrupoles = 0, of_octupoles = 0, judged = 0;
    std::vector<std::uint32_t> rest{0};
    while (!rest.empty()) {
      const std::uint32_t cell = rest.back();
      rest.pop_back();
      ++judged;
      const Vec4 own = reach_[cell];
      const double reach = extent + std::max(own.x * scale, double(own.y));
      const Range children = cells_.children[cell];
      const double apart = distance(center_[cell], ball);
      if (apart >= reach) {
        ++sources;
        const double point = extent + std::max(own.z * point_scale, double(own.w));
        const double quadrupole = extent + std::max(own.x * scale * std::sqrt(2), double(own.y));
        const bool is_point = order_ == Order::point || apart >= point;
        const bool is_octupole = order_ == Order::octupole && !is_point && apart < quadrupole;
        of_octupoles += is_octupole;
        of_quadrupoles += !is_point && !is_octupole;
      } else if (children.count == 0) {
        sources += cells_.particles[cell].count;
      } else {
        for (std::uint32_t k = 0; k < children.count; ++k) rest.push_back(children.first + k);
      }
    }
    interactions.push_back(sources * group.size());
    pairs[Order::quadrupole].push_back(of_quadrupoles * group.size());
    pairs[Order::octupole].push_back(of_octupoles * group.size());
    cells_judged.push_back(judged);
  }

  Topology cells_;
  std::vector<Vec4> center_, reach_;
  Order order_ = Order::point;
};

/// Rounding may decide otherwise now and then.
void expect_nearly_equal(const std::vector<std::uint64_t>& found,
                         const std::vector<std::uint64_t>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) different += found[i] != expected[i];
  EXPECT_LE(different, 2 + found.size() / 50) << "of " << found.size() << " groups";
}

TYPED_TEST(GroupWalk, MeetsTheCellsThatAPlainWalkOnTheHostMeets) {
  const auto width = std::uint32_t(this->width);
  // The outermost particle of a cell may be exactly b away from its centre: rounding would decide.
  for (const std::uint32_t size : {2U, std::min(8U, width), width}) {
    Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(6007), 16, size);
    for_each_acceptance([&](const Acceptance& acceptance) {
      SCOPED_TRACE("groups of " + std::to_string(size));
      const Walked found = walks.template in_groups<1>(acceptance);
      const HostWalk expected(walks, acceptance);
      expect_nearly_equal(found.interactions, expected.interactions);
      for (const Order order : {Order::quadrupole, Order::octupole}) {
        expect_nearly_equal(found.pairs[order], expected.pairs[order]);
      }
      expect_nearly_equal(found.cells_judged, expected.cells_judged);
    });
  }
}

TYPED_TEST(GroupWalk, HasNoCellActNearItselfHoweverLooseTheAccuracy) {
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(6007), 16, 1);
  walks.template in_groups<1>({Mac::acceleration, 1e9F, 1, Order::quadrupole});
  const std::vector<Vec4> reach = to_host(walks.tree().reach);
  const std::vector<float> size = to_host(walks.tree().size);
  for (std::uint32_t cell = 0; cell < walks.cells(); ++cell) {
    ASSERT_GE(reach[cell].y, size[cell]);
    ASSERT_GE(reach[cell].w, 1.5F * size[cell]) << "as a point";
  }
}

}  // namespace
}  // namespace gothic
