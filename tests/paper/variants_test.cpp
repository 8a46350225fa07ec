#include <gtest/gtest.h>

#include <algorithm>

#include "paper/group_balls.hpp"
#include "paper/group_variant.hpp"
#include "tests/core/gravity/walks.hpp"

/// Forces with groups that are made otherwise.
namespace gothic {
namespace {

using namespace test;

const Particles& sphere() { return summed_sphere().particles; }
const std::vector<Force>& reference() { return summed_sphere().forces; }

template <class Case>
class Variants : public OnDevice<Case> {};
TYPED_TEST_SUITE(Variants, Devices);

TYPED_TEST(Variants, ForcesAreAsAccurateWithEveryKindOfBall) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-8F);
  std::vector<std::uint64_t> pairs;
  for (const BallWord& word : ball_words) {
    options.grouping = grouping({.ball = word.ball});
    TreeForces<Device> tree(this->device, options, sphere());
    const auto errors = errors_of(tree.with_old(reference()).evaluate(), reference());
    EXPECT_LT(percentile(errors, 0.99), 0x1.8p-8) << word.name;
    pairs.push_back(tree.cost.interactions);
  }
  const auto of = [&](Ball ball) {
    return pairs[std::size_t(std::ranges::find(ball_words, ball, &BallWord::ball) - ball_words)];
  };
  EXPECT_LT(of(Ball::seb), of(Ball::geo));
  EXPECT_LT(of(Ball::seb), of(Ball::ebs));
  EXPECT_LT(of(Ball::geo), of(Ball::com));
}

/// Few active particles make small groups on a device whose lanes share them.
TYPED_TEST(Variants, SomeTargetsGetAccurateForcesWithEveryKindOfBall) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-8F);
  std::vector<bool> wanted(sphere().size(), false);
  for (std::size_t i = 1; i < sphere().size(); i += 70) wanted[i] = true;
  for (const BallWord& word : ball_words) {
    options.grouping = grouping({.ball = word.ball});
    TreeForces<Device> tree(this->device, options, sphere());
    const auto some = tree.with_old(reference()).evaluate(wanted);
    for (std::size_t i = 0; i < sphere().size(); ++i) {
      if (wanted[i]) {
        ASSERT_LT(error_of(some[i], reference()[i]), 0x1p-6) << word.name << " " << i;
      }
    }
  }
}

TYPED_TEST(Variants, TakesTheBallsThatWereMadeForItsGroups) {
  const auto width = std::uint32_t(this->width);
  Walks<typename TestFixture::Device> walks(this->device, cuspy_sphere(6007), 16, width);
  const auto walked = [&](const Acceptance& acceptance, Ball ball) {
    walks.make_balls([&](const GroupsOfTargets& groups, Vec4* balls) {
      make_balls(this->device, ball, groups, balls);
    });
    const Walked result = walks.template in_groups<1>(acceptance);
    EXPECT_LT(percentile(errors_of(result.forces, walks.reference()), 0.5), 0.02);
    return sum_of(result.interactions);
  };
  std::vector<std::uint64_t> with_boxes;
  for (const Acceptance& acceptance : acceptances()) {
    with_boxes.push_back(sum_of(walks.template in_groups<1>(acceptance).interactions));
  }
  for (std::size_t i = 0; i < acceptances().size(); ++i) {
    const Acceptance acceptance = acceptances()[i];
    SCOPED_TRACE(name_of(acceptance));
    // But for rounding of the balls, which decides on a cell now and then.
    const auto box = double(with_boxes[i]);
    EXPECT_NEAR(double(walked(acceptance, Ball::geo)), box, 1e-4 * box);
    EXPECT_LT(double(walked(acceptance, Ball::seb)), 0.99 * box) << "a smaller ball opens less";
    EXPECT_GT(double(walked(acceptance, Ball::com)), 1.01 * box) << "a larger one more";
  }
}

TYPED_TEST(Variants, NarrowGroupsCostLessPairsAndAreAsExact) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-7F);
  options.group_size = std::min(64, 4 * this->width);
  const Particles particles = cuspy_sphere(sphere().size());
  const std::vector<Force> exact = summed(particles);
  TreeForces<Device> wide(this->device, options, particles);
  const double wide_error = percentile(errors_of(wide.with_old(exact).evaluate(), exact), 0.99);
  options.grouping = grouping({.extent = 0.1F});
  TreeForces<Device> narrow(this->device, options, particles);
  EXPECT_LT(percentile(errors_of(narrow.with_old(exact).evaluate(), exact), 0.99), 3 * wide_error);
  EXPECT_GT(narrow.cost.group_count, wide.cost.group_count);
  EXPECT_LT(narrow.cost.interactions, wide.cost.interactions);
  EXPECT_EQ(narrow.cost.group_extent, 0.1F);
  EXPECT_EQ(wide.cost.group_extent, 0);
}

}  // namespace
}  // namespace gothic
