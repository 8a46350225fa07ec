#include "core/gravity/walk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/core/gravity/walks.hpp"

/// Walks of single groups.
namespace gothic {
namespace {

using namespace test;

template <class Case>
class GroupWalk : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;
  using Warp = typename Device::Warp;

  /// Compares walks with 2, 4, ... lanes to a particle, as many as there are, with that of one lane
  /// each.
  static void expect_same_for_every_sharing(Walks<Device>& walks, std::uint32_t group_size) {
    constexpr int most_per_lane = Device::Defaults::most_per_lane;
    if (int(group_size) > most_per_lane * Warp::width) return;
    const int most = std::min(most_per_lane * Warp::width / int(group_size), Warp::most_sharing);
    for (const Acceptance& acceptance : acceptances()) {
      SCOPED_TRACE(name_of(acceptance) + ", groups of " + std::to_string(group_size));
      const Walked alone = walks.template in_groups<most_per_lane>(acceptance);
      // Neither may be right by being like the other.
      EXPECT_LT(percentile(errors_of(alone.forces, walks.reference()), 0.5), 0.02);
      for (int sharing = 2; sharing <= most; sharing *= 2) {
        const Walked shared = walks.template in_groups<most_per_lane>(acceptance, sharing);
        EXPECT_EQ(shared.interactions, alone.interactions) << sharing << " share";
        EXPECT_EQ(shared.cells_judged, alone.cells_judged) << sharing << " share";
        const auto difference = differences(shared, alone);
        EXPECT_LT(percentile(difference, 0.99), 1e-5) << sharing << " share";
        EXPECT_LT(percentile(difference, 1), 1e-3) << sharing << " share";
      }
    }
  }
};
TYPED_TEST_SUITE(GroupWalk, Devices);

TYPED_TEST(GroupWalk, GivesTheSameForAnyNumberOfLanesThatShareAParticle) {
  using Device = typename TestFixture::Device;
  const Particles particles = cuspy_sphere(2003);
  for (std::uint32_t size = 64; size >= 1; size /= 2) {
    Walks<Device> walks(this->device, particles, 16, size);
    this->expect_same_for_every_sharing(walks, size);
  }
}

TYPED_TEST(GroupWalk, FindsTheSameSourcesWithAListOfAnyLength) {
  const auto width = std::uint32_t(this->width);
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16, width);
  for (const Acceptance& acceptance : acceptances()) {
    SCOPED_TRACE(name_of(acceptance));
    walks.list_capacity = 1000;
    const Walked one = walks.template in_groups<1>(acceptance);
    for (const std::uint32_t capacity : {width, width + 1, 3 * width, 500U}) {
      walks.list_capacity = capacity;
      const Walked other = walks.template in_groups<1>(acceptance);
      EXPECT_EQ(one.interactions, other.interactions) << capacity;
      EXPECT_EQ(one.cells_judged, other.cells_judged) << capacity;
      EXPECT_LT(percentile(differences(one, other), 0.99), 1e-5) << capacity;
      EXPECT_LT(percentile(differences(one, other), 1), 1e-3) << capacity;
    }
  }
}

TYPED_TEST(GroupWalk, JudgesEveryCellWhereNoneMayActAsAWhole) {
  const Particles particles = plummer_sphere(500);
  Walks<typename TestFixture::Device> walks(this->device, particles, 1, 1);
  ASSERT_EQ(walks.groups(), 500U);
  const Walked all = walks.template in_groups<1>(nothing);
  for (const std::uint64_t judged : all.cells_judged) EXPECT_EQ(judged, walks.cells());
  for (const std::uint64_t pairs : all.interactions) EXPECT_EQ(pairs, 500U);
}

TYPED_TEST(GroupWalk, SumsMoreSourcesThanItsListHolds) {
  // Everything opened: the list of sources is filled several times, by leaves that do not fit in.
  const Particles particles = plummer_sphere(3001);
  const auto width = std::uint32_t(this->width);
  for (const std::uint32_t capacity : {1, 7, 100, 1000, 5000}) {
    for (const std::uint32_t size : {1U, width}) {
      Walks<typename TestFixture::Device> walks(this->device, particles, capacity, size);
      const Walked all = walks.template in_groups<1>(nothing);
      EXPECT_LT(percentile(errors_of(all.forces, walks.reference()), 1), 1e-5) << capacity;
      EXPECT_EQ(sum_of(all.interactions), 3001U * 3001U) << capacity;
    }
  }
}

TYPED_TEST(GroupWalk, GivesTheSameForAnyNumberOfParticlesPerLane) {
  // Idle lanes change nothing.
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16,
                                            std::min(8, this->width));
  for (const Acceptance& acceptance : acceptances()) {
    SCOPED_TRACE(name_of(acceptance));
    const Walked one = walks.template in_groups<1>(acceptance);
    // As many as the device is tuned for.
    constexpr int most_per_lane = TestFixture::Device::Defaults::most_per_lane;
    for (const Walked& other : {walks.template in_groups<2>(acceptance),
                                walks.template in_groups<most_per_lane>(acceptance)}) {
      EXPECT_EQ(one.interactions, other.interactions);
      EXPECT_EQ(one.cells_judged, other.cells_judged);
      EXPECT_LT(percentile(differences(one, other), 0.99), 1e-5);
      EXPECT_LT(percentile(differences(one, other), 1), 1e-3);
    }
  }
}

TYPED_TEST(GroupWalk, RepeatsItselfExactly) {
  // Which warp takes which group differs from time to time.
  const auto width = std::uint32_t(this->width);
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(6007), 16, width);
  for (const Acceptance& acceptance : acceptances()) {
    const Walked once = walks.template in_groups<1>(acceptance);
    const Walked again = walks.template in_groups<1>(acceptance);
    EXPECT_EQ(once.interactions, again.interactions) << name_of(acceptance);
    EXPECT_EQ(once.cells_judged, again.cells_judged) << name_of(acceptance);
    EXPECT_EQ(
        std::memcmp(once.forces.data(), again.forces.data(), once.forces.size() * sizeof(Vec4)), 0)
        << name_of(acceptance);
  }
}

TYPED_TEST(GroupWalk, GivesTheSameForcesWhereWideGroupsAreSplit) {
  constexpr std::uint32_t n = 4003;
  constexpr int most_per_lane = TestFixture::Device::Defaults::most_per_lane;
  const auto size = std::uint32_t(std::min(64, most_per_lane * this->width));
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(n), 16, size);
  walks.shuffle_targets();
  Walks<typename TestFixture::Device> singles(this->device, cuspy_sphere(n), 16, 1);
  for (const Acceptance& acceptance : acceptances()) {
    SCOPED_TRACE(name_of(acceptance));
    const int sharing =
        std::min(most_per_lane * this->width / int(size), TestFixture::Warp::most_sharing);
    const Walked whole = walks.template in_groups<most_per_lane>(acceptance, sharing);
    // Nothing is more exposed to cells than a particle that walks alone.
    const Walked alone = singles.template in_groups<1>(acceptance);
    const double bound = 1.05 * percentile(errors_of(alone.forces, singles.reference()), 0.99);
    const Walked parts = walks.template in_groups<most_per_lane>(acceptance, sharing, 1);
    EXPECT_LT(percentile(errors_of(parts.forces, walks.reference()), 0.99), bound);
    EXPECT_LT(double(sum_of(parts.interactions)), 0.7 * double(sum_of(whole.interactions)));
    const Walked again = walks.template in_groups<most_per_lane>(acceptance, sharing, 1);
    EXPECT_EQ(sum_of(again.interactions), sum_of(parts.interactions));
    EXPECT_EQ(sum_of(again.cells_judged), sum_of(parts.cells_judged));
  }
}

/// Small groups, as few active particles make them.
TYPED_TEST(GroupWalk, GivesSingleParticlesTheForcesThatTheyGetAmongTheirNeighbours) {
  constexpr std::uint32_t n = 4003;
  const auto width = std::uint32_t(this->width);
  Walks<typename TestFixture::Device> groups(this->device, cuspy_sphere(n), 16, width);
  Walks<typename TestFixture::Device> singles(this->device, cuspy_sphere(n), 16, 1);
  for (const Acceptance& acceptance : acceptances()) {
    SCOPED_TRACE(name_of(acceptance));
    const Walked together = groups.template in_groups<1>(acceptance);
    const Walked alone = singles.template in_groups<1>(acceptance, 1, 0, {n, width});
    EXPECT_EQ(sum_of(alone.interactions), sum_of(together.interactions));
    EXPECT_EQ(alone.forces.size(), together.forces.size());
    EXPECT_LT(percentile(differences(alone, together), 0.99), 1e-5);
    EXPECT_LT(percentile(errors_of(alone.forces, singles.reference()), 0.5), 0.02);
  }
}

/// A plain walk on the host, one cell after the other, in double precision.
class HostWalk {
 public:
  template <class Device>
  HostWalk(const Walks<Device>& walks, const Acceptance& acceptance)
      : cells_(walks.tree()),
        center_(to_host(walks.tree().center)),
        radius_(to_host(walks.tree().acceptance_radius)),
        size_(to_host(walks.tree().size)) {
    for (const Range& group : walks.ranges()) {
      const auto begin = walks.particles().begin() + group.first;
      const Particles members(begin, begin + group.count);
      const auto old = walks.reference().begin() + group.first;
      double smallest = 1e30;
      for (std::uint32_t i = 0; i < group.count; ++i) smallest = std::min(smallest, length(old[i]));
      walk(members, acceptance.scale(float(smallest)));
    }
  }

  std::vector<std::uint64_t> interactions, cells_judged;

 private:
  void walk(const Particles& group, double scale) {
    Vec4 low = group[0], high = low;
    for (const Vec4& p : group) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z), 0};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z), 0};
    }
    const Vec4 ball{(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2, 0};
    double extent = 0;
    for (const Vec4& p : group) extent = std::max(extent, distance(p, ball));
    std::uint64_t sources = 0, judged = 0;
    std::vector<std::uint32_t> rest{0};
    while (!rest.empty()) {
      const std::uint32_t cell = rest.back();
      rest.pop_back();
      ++judged;
      const double reach = extent + std::max(radius_[cell] * scale, double(size_[cell]));
      const Range children = cells_.children[cell];
      if (distance(center_[cell], ball) >= reach) {
        ++sources;
      } else if (children.count == 0) {
        sources += cells_.particles[cell].count;
      } else {
        for (std::uint32_t k = 0; k < children.count; ++k) rest.push_back(children.first + k);
      }
    }
    interactions.push_back(sources * group.size());
    cells_judged.push_back(judged);
  }

  Topology cells_;
  std::vector<Vec4> center_;
  std::vector<float> radius_, size_;
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
  // A particle alone may be as far from a cell as the cell is wide, if it is the cell's outermost:
  // rounding would decide.
  for (const std::uint32_t size : {2U, std::min(8U, width), width}) {
    Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(6007), 16, size);
    for (const Acceptance& acceptance : acceptances()) {
      SCOPED_TRACE(name_of(acceptance) + ", groups of " + std::to_string(size));
      const Walked found = walks.template in_groups<1>(acceptance);
      const HostWalk expected(walks, acceptance);
      expect_nearly_equal(found.interactions, expected.interactions);
      expect_nearly_equal(found.cells_judged, expected.cells_judged);
    }
  }
}

}  // namespace
}  // namespace gothic
