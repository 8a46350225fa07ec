#include "core/gravity/bundle_walk.hpp"

#include <gtest/gtest.h>

#include "tests/core/gravity/walks.hpp"

/// Walks of bundles of groups, which only the CPU has, against those of single groups.
namespace gothic {
namespace {

using namespace test;

template <class Case>
class BundleWalks : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  /// Walks alone and in bundles of B and expects the same of both.
  template <int K, int B>
  void expect_same_in_bundles(std::uint32_t group_size) {
    Walks<Device> walks(this->device, cuspy_sphere(6007), 16, group_size);
    for (const Acceptance& acceptance : acceptances()) {
      SCOPED_TRACE(name_of(acceptance));
      const Walked alone = walks.template in_bundles<K, 1>(acceptance);
      const Walked together = walks.template in_bundles<K, B>(acceptance);
      expect_same_counts<B>(alone, together);
      EXPECT_LT(percentile(differences(together, alone), 1), 1e-3);
      // Agreeing on cells once for all is the point of it.
      EXPECT_LT(sum_of(together.cells_judged), sum_of(alone.cells_judged));
    }
  }

  /// The walk with a stack judges the same cells in another order.
  template <int K>
  void expect_same_with_a_stack(const Particles& particles, std::uint32_t leaf_capacity,
                                std::uint32_t group_size) {
    Walks<Device> walks(this->device, particles, leaf_capacity, group_size);
    for (const Acceptance& acceptance : acceptances()) {
      SCOPED_TRACE(name_of(acceptance) + ", groups of " + std::to_string(group_size));
      const Walked bundle = walks.template in_bundles<K, 1>(acceptance);
      const Walked stack = walks.template in_groups<K>(acceptance);
      EXPECT_EQ(stack.interactions, bundle.interactions);
      EXPECT_EQ(stack.cells_judged, bundle.cells_judged);
      EXPECT_LT(percentile(differences(stack, bundle), 0.99), 1e-5);
      EXPECT_LT(percentile(differences(stack, bundle), 1), 1e-3);
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
TYPED_TEST_SUITE(BundleWalks, Devices);

TYPED_TEST(BundleWalks, MeetTheSourcesThatTheirGroupsMeetAlone) {
  const auto width = std::uint32_t(this->width);
  this->template expect_same_in_bundles<1, 4>(1);
  this->template expect_same_in_bundles<1, 4>(width);
  this->template expect_same_in_bundles<1, 2>(width / 2);
  this->template expect_same_in_bundles<2, 4>(2 * width);
  this->template expect_same_in_bundles<4, 3>(4 * width);
}

TYPED_TEST(BundleWalks, OfOneGroupAreThoseWithAStack) {
  const auto width = std::uint32_t(this->width);
  this->template expect_same_with_a_stack<1>(cuspy_sphere(6007), 16, 1);
  this->template expect_same_with_a_stack<1>(cuspy_sphere(6007), 16, width);
  this->template expect_same_with_a_stack<2>(cuspy_sphere(6007), 32, 2 * width);
  this->template expect_same_with_a_stack<4>(cuspy_sphere(6007), 8, 4 * width);
  this->template expect_same_with_a_stack<1>(uniform_cube(3001), 1, width);
  this->template expect_same_with_a_stack<1>(half_in_a_point(2000), 1, width / 2);
}

TYPED_TEST(BundleWalks, OfSeveralGroupsSumEveryPairWhereNoCellMayActAsAWhole) {
  for (const std::uint32_t capacity : {1, 7, 1000}) {
    Walks<typename TestFixture::Device> walks(this->device, plummer_sphere(3001), capacity, 1);
    const Walked all = walks.template in_bundles<1, 4>(nothing);
    EXPECT_LT(percentile(errors_of(all.forces, walks.reference()), 1), 1e-5) << capacity;
    EXPECT_EQ(sum_of(all.interactions), 3001U * 3001U) << capacity;
  }
}

TYPED_TEST(BundleWalks, GiveTheSameForAnyNumberOfLanesThatShareAParticle) {
  for (int sharing = 2; sharing <= this->width; sharing *= 2) {
    const auto size = std::uint32_t(this->width / sharing);
    Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16, size);
    for (const Acceptance& acceptance : acceptances()) {
      SCOPED_TRACE(name_of(acceptance) + ", " + std::to_string(sharing) + " share");
      const Walked alone = walks.template in_bundles<1, 4>(acceptance);
      EXPECT_LT(percentile(errors_of(alone.forces, walks.reference()), 0.5), 0.02);
      const Walked shared = walks.template in_bundles<1, 4>(acceptance, sharing);
      EXPECT_EQ(shared.interactions, alone.interactions);
      EXPECT_EQ(shared.cells_judged, alone.cells_judged);
      EXPECT_LT(percentile(differences(shared, alone), 0.99), 1e-5);
      EXPECT_LT(percentile(differences(shared, alone), 1), 1e-3);
    }
  }
}

TYPED_TEST(BundleWalks, FindTheSameSourcesWithAListOfAnyLength) {
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16,
                                            std::min(8, this->width));
  for (const Acceptance& acceptance : acceptances()) {
    walks.list_capacity = 512;
    const Walked one = walks.template in_bundles<1, 4>(acceptance);
    for (const std::uint32_t capacity : {16U, 17U, 100U, 5000U}) {
      walks.list_capacity = capacity;
      const Walked other = walks.template in_bundles<1, 4>(acceptance);
      EXPECT_EQ(one.interactions, other.interactions) << capacity;
      EXPECT_EQ(one.cells_judged, other.cells_judged) << capacity;
      EXPECT_LT(percentile(differences(one, other), 0.99), 1e-5) << capacity;
    }
  }
}

TYPED_TEST(BundleWalks, GiveSmallGroupsTheForcesThatTheyGetAmongTheirNeighbours) {
  constexpr std::uint32_t n = 4003;
  const auto size = 2 * std::uint32_t(this->width);
  Walks<typename TestFixture::Device> groups(this->device, cuspy_sphere(n), 16, size);
  Walks<typename TestFixture::Device> small(this->device, cuspy_sphere(n), 16, 4);
  for (const Acceptance& acceptance : acceptances()) {
    SCOPED_TRACE(name_of(acceptance));
    const Walked together = groups.template in_bundles<2, 1>(acceptance);
    const Walked alone = small.template in_bundles<1, 4>(acceptance, this->width / 4, {n, size});
    EXPECT_EQ(sum_of(alone.interactions), sum_of(together.interactions));
    EXPECT_LT(percentile(differences(alone, together), 0.99), 1e-5);
  }
}

TYPED_TEST(BundleWalks, GiveTheSameForAnyNumberOfParticlesPerLane) {
  // Idle lanes change nothing.
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(2003), 16,
                                            std::min(8, this->width));
  for (const Acceptance& acceptance : acceptances()) {
    const Walked one = walks.template in_bundles<1, 4>(acceptance);
    const Walked four = walks.template in_bundles<4, 4>(acceptance);
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
