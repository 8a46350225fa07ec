#include "gravity/walk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/gravity/forces.hpp"
#include "tests/tree/trees.hpp"
#include "tree/groups.hpp"
#include "tree/moments.hpp"

namespace gothic {
namespace {

using namespace test;

/// What walks found: forces in the order of the tree, and counts of every bundle.
struct Walked {
  std::vector<Vec4> forces;
  std::vector<std::uint64_t> interactions, cells_judged;
};

/// A tree with moments and groups, ready to be walked in every way that the template allows.
template <class Device>
class Walks {
 public:
  Walks(Device& device, const Particles& particles, std::uint32_t leaf_capacity,
        std::uint32_t group_size)
      : device_(device), sorted_(sorted_by_key<std::uint64_t>(particles)) {
    const auto n = std::uint32_t(particles.size());
    build(device, tree_, sorted_.keys, leaf_capacity);
    position_ = to_device<Device>(sorted_.particles);
    targets_ = to_device<Device>(numbers(n));
    make_groups(device, groups_, position_.data(), targets_.data(), n, group_size, 1, 3e38F);
    update_moments(device, tree_, position_.data());
    std::vector<Vec4> old;
    for (const Force& a : summed(sorted_.particles)) {
      old.push_back({float(a.x), float(a.y), float(a.z), 0});
    }
    old_ = to_device<Device>(old);
  }

  std::uint32_t cells() const { return tree_.cells(); }
  std::uint32_t groups() const { return groups_.count; }

  template <int K, int B>
  Walked walked(const Acceptance& acceptance) {
    update_acceptance(device_, tree_, acceptance);
    const std::uint32_t bundles = bundle_count<B>(groups_.count);
    typename Device::template Buffer<Vec4> forces(position_.size());
    typename Device::template Buffer<std::uint64_t> interactions(bundles), judged(bundles);
    walk<K, B, Root::newton>(
        device_,
        WalkData{tree_.center.data(), tree_.acceptance_radius.data(), tree_.size.data(),
                 tree_.children.data(), tree_.particles.data(), position_.data(), old_.data(),
                 targets_.data(), groups_.ranges.data(), groups_.count, forces.data(),
                 interactions.data(), judged.data(), acceptance, softening * softening});
    device_.synchronize();
    return {to_host(forces), to_host(interactions), to_host(judged)};
  }

 private:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;

  Device& device_;
  Sorted<std::uint64_t> sorted_;
  Tree<Device> tree_;
  Groups<Device> groups_;
  Buffer<Vec4> position_, old_;
  Buffer<std::uint32_t> targets_;
};

std::vector<Acceptance> acceptances() {
  return {{Mac::acceleration, 0x1p-4F, 1}, {Mac::acceleration, 0x1p-9F, 1},
          {Mac::multipole, 0x1p-4F, 1},    {Mac::multipole, 0x1p-9F, 1},
          {Mac::opening, 0.8F, 1},         {Mac::opening, 0.4F, 1}};
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
}

template <class Case>
class Walk : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  /// Walks alone and in bundles of B and expects the same of both.
  template <int K, int B>
  void expect_same_in_bundles(std::uint32_t group_size) {
    const Particles particles = cuspy_sphere(6007);
    Walks<Device> walks(this->device, particles, 16, group_size);
    for (const Acceptance& acceptance : acceptances()) {
      const Walked alone = walks.template walked<K, 1>(acceptance);
      const Walked together = walks.template walked<K, B>(acceptance);
      SCOPED_TRACE("criterion " + std::to_string(int(acceptance.mac)));
      expect_same_counts<B>(alone, together);
      for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec4 a = alone.forces[i];
        ASSERT_LT(error_of(together.forces[i], {a.x, a.y, a.z, a.w}), 1e-3) << "particle " << i;
      }
      // Agreeing on cells once for all is the point of it.
      EXPECT_LT(sum_of(together.cells_judged), sum_of(alone.cells_judged));
    }
  }

 private:
  template <int B>
  static void expect_same_counts(const Walked& alone, const Walked& together) {
    ASSERT_EQ(together.interactions.size(), (alone.interactions.size() + B - 1) / B);
    std::size_t different = 0;
    for (std::size_t bundle = 0; bundle < together.interactions.size(); ++bundle) {
      std::uint64_t members = 0;
      for (std::size_t g = bundle * B; g < std::min((bundle + 1) * B, alone.interactions.size());
           ++g) {
        members += alone.interactions[g];
      }
      different += members != together.interactions[bundle];
    }
    // Rounding may decide otherwise now and then.
    EXPECT_LE(different, 2U) << "of " << together.interactions.size() << " bundles";
  }
};
TYPED_TEST_SUITE(Walk, Devices);

TYPED_TEST(Walk, InABundleMeetsTheSourcesThatItMeetsAlone) {
  const auto width = std::uint32_t(this->width);
  this->template expect_same_in_bundles<1, 4>(1);
  this->template expect_same_in_bundles<1, 4>(width);
  this->template expect_same_in_bundles<1, 2>(width / 2);
  this->template expect_same_in_bundles<2, 4>(2 * width);
  this->template expect_same_in_bundles<4, 3>(4 * width);
}

TYPED_TEST(Walk, JudgesEveryCellWhereNoneMayActAsAWhole) {
  const Particles particles = plummer_sphere(500);
  Walks<typename TestFixture::Device> walks(this->device, particles, 1, 1);
  ASSERT_EQ(walks.groups(), 500U);
  const Acceptance nothing{Mac::opening, 1e-6F, 1};
  const Walked alone = walks.template walked<1, 1>(nothing);
  for (const std::uint64_t judged : alone.cells_judged) EXPECT_EQ(judged, walks.cells());
  for (const std::uint64_t pairs : alone.interactions) EXPECT_EQ(pairs, 500U);
  EXPECT_EQ(sum_of(walks.template walked<1, 4>(nothing).interactions), 500U * 500U);
}

TYPED_TEST(Walk, SumsMoreSourcesThanItsListHolds) {
  // Everything opened: the list of sources is filled several times, by leaves that do not fit in.
  const Particles particles = plummer_sphere(3001);
  for (const std::uint32_t capacity : {1, 7, 1000}) {
    Walks<typename TestFixture::Device> walks(this->device, particles, capacity, 1);
    const Walked all = walks.template walked<1, 4>({Mac::opening, 1e-6F, 1});
    const auto expected = summed(sorted_by_key<std::uint64_t>(particles).particles);
    EXPECT_LT(percentile(errors_of(all.forces, expected), 1), 1e-5) << capacity;
    EXPECT_EQ(sum_of(all.interactions), 3001U * 3001U) << capacity;
  }
}

TYPED_TEST(Walk, GivesTheSameForAnyNumberOfParticlesPerLane) {
  // Idle lanes change nothing.
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16, 8);
  for (const Acceptance& acceptance : acceptances()) {
    const Walked one = walks.template walked<1, 4>(acceptance);
    const Walked four = walks.template walked<4, 4>(acceptance);
    EXPECT_EQ(one.interactions, four.interactions);
    EXPECT_EQ(one.cells_judged, four.cells_judged);
    for (std::size_t i = 0; i < one.forces.size(); ++i) {
      ASSERT_EQ(one.forces[i].x, four.forces[i].x);
      ASSERT_EQ(one.forces[i].w, four.forces[i].w);
    }
  }
}

}  // namespace
}  // namespace gothic
