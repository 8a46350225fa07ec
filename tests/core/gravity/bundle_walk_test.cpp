#include "core/gravity/bundle_walk.hpp"

#include <gtest/gtest.h>

#include "tests/core/gravity/walks.hpp"

/// Walks of bundles of groups, which only the CPU has, against walks of single groups.
namespace gothic {
namespace {

using namespace test;

template <class Case>
class BundleWalks : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  /// Walks alone and in bundles of B, and expects the same results.
  template <int K, int B>
  void expect_same_in_bundles(std::uint32_t group_size) {
    Walks<Device> walks(this->device, cuspy_sphere(6007), 16, group_size);
    for_each_acceptance([&](const Acceptance& acceptance) {
      const Walked alone = walks.template in_bundles<K, 1>(acceptance);
      const Walked together = walks.template in_bundles<K, B>(acceptance);
      const auto& pairs = together.interactions;
      ASSERT_EQ(pairs.size(), (alone.interactions.size() + B - 1) / B);
      std::vector<std::uint64_t> of_members(pairs.size(), 0);
      for (std::size_t g = 0; g < alone.interactions.size(); ++g) {
        of_members[g / B] += alone.interactions[g];
      }
      std::size_t different = 0;
      for (std::size_t i = 0; i < pairs.size(); ++i) different += pairs[i] != of_members[i];
      EXPECT_LE(different, 2U) << "rounding may decide otherwise now and then";
      EXPECT_LT(percentile(differences(together, alone), 1), 1e-3);
      // A bundle judges a cell once for all its groups. With octupoles there is more to judge.
      const double most = acceptance.order == Order::octupole ? 1.05 : 1;
      EXPECT_LT(sum_of(together.cells_judged), most * double(sum_of(alone.cells_judged)));
    });
  }

  /// Expects the same of a walk with a stack, which judges the same cells in another order.
  template <int K, Lengths lengths = Lengths::equal>
  void expect_same_with_a_stack(const MassPoints& particles, std::uint32_t leaf_capacity,
                                std::uint32_t group_size) {
    Walks<Device> walks(this->device, particles, leaf_capacity, group_size);
    if (lengths == Lengths::own) walks.soften_differently();
    for_each_acceptance([&](const Acceptance& acceptance) {
      SCOPED_TRACE("groups of " + std::to_string(group_size));
      expect_same(walks.template in_groups<K, lengths>(acceptance),
                  walks.template in_bundles<K, 1, lengths>(acceptance));
    });
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
  this->template expect_same_with_a_stack<2, Lengths::own>(cuspy_sphere(6007), 16, 2 * width);
  this->template expect_same_with_a_stack<4>(cuspy_sphere(6007), 8, 4 * width);
  this->template expect_same_with_a_stack<1>(uniform_cube(3001), 1, width);
  this->template expect_same_with_a_stack<1>(half_in_a_point(2000), 1, width / 2);
}

/// Some particles of a shell follow each other along the curve, but lie on different sides of the
/// shell.
TYPED_TEST(BundleWalks, SplitWideGroups) {
  using Device = typename TestFixture::Device;
  const auto size = 2 * std::uint32_t(this->width);
  Walks<Device> walks(this->device, cuspy_sphere(6007), 16, size);
  walks.keep_shell(0.9, 1, size);
  ASSERT_GT(walks.groups(), 5U);
  for_each_acceptance([&](const Acceptance& acceptance) {
    const auto pairs = [&](float split_ratio) {
      const Walked walked = walks.template in_bundles<2, 4>(acceptance, 1, split_ratio);
      return double(sum_of(walked.interactions));
    };
    EXPECT_LT(pairs(0.5F), 0.95 * pairs(0));
  });
}

TYPED_TEST(BundleWalks, SplitGroupsOfAnySize) {
  using Device = typename TestFixture::Device;
  Walks<Device> singles(this->device, cuspy_sphere(2003), 16, 1);
  for (const std::uint32_t size : {3U, 5U, 6U, 7U}) {
    Walks<Device> walks(this->device, cuspy_sphere(2003), 16,
                        size * std::uint32_t(this->width) / 4);
    walks.shuffle_targets();
    for_each_acceptance([&](const Acceptance& acceptance) {
      const Walked alone = singles.template in_bundles<2, 4>(acceptance);
      const double bound = 1.05 * percentile(errors_of(alone.forces, singles.reference()), 0.99);
      const Walked parts = walks.template in_bundles<2, 4>(acceptance, 1, 0.5F);
      EXPECT_LT(percentile(errors_of(parts.forces, walks.reference()), 0.99), bound) << size;
    });
  }
}

}  // namespace
}  // namespace gothic
