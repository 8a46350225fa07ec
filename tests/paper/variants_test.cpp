#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "paper/force_variant.hpp"
#include "tests/core/gravity/forces.hpp"

/// Forces with groups that are made in other ways.
namespace gothic {
namespace {

using namespace test;

const MassPoints& sphere() { return summed_sphere().particles; }
const std::vector<Force>& reference() { return summed_sphere().forces; }

template <class Case>
class Variants : public OnDevice<Case> {};
TYPED_TEST_SUITE(Variants, Devices);

TYPED_TEST(Variants, ForcesAreAsAccurateWithEveryKindOfBall) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-8F);
  std::map<Ball, std::uint64_t> pairs;
  for (const BallWord& word : ball_words) {
    options.variation = variation({.ball = word.ball});
    SolverAndParticles<Device> tree(this->device, options, sphere());
    const auto errors = errors_of(tree.with_old(reference()).evaluate(), reference());
    EXPECT_LT(percentile(errors, 0.99), 0x1.8p-8) << word.name;
    pairs[word.ball] = tree.cost.counts.interactions();
  }
  EXPECT_LT(pairs[Ball::seb], pairs[Ball::ebs]);
  EXPECT_LT(double(pairs[Ball::seb]), 0.99 * double(pairs[Ball::geo]));
  EXPECT_GT(double(pairs[Ball::com]), 1.01 * double(pairs[Ball::geo]));
}

/// Few active particles make small groups on a device whose lanes share them.
TYPED_TEST(Variants, SomeTargetsGetAccurateForcesWithEveryKindOfBall) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-8F);
  std::vector<bool> wanted(sphere().size(), false);
  for (std::size_t i = 1; i < sphere().size(); i += 70) wanted[i] = true;
  for (const BallWord& word : ball_words) {
    options.variation = variation({.ball = word.ball});
    SolverAndParticles<Device> tree(this->device, options, sphere());
    const auto some = tree.with_old(reference()).evaluate(wanted);
    for (std::size_t i = 0; i < sphere().size(); ++i) {
      if (wanted[i]) {
        ASSERT_LT(error_of(some[i], reference()[i]), 0x1p-6) << word.name << " " << i;
      }
    }
  }
}

/// The narrower a group, the fewer cells it opens. None opens fewer than a single particle does.
TYPED_TEST(Variants, NarrowGroupsCostLessPairsAndAreAsExactAsSingleParticles) {
  using Device = typename TestFixture::Device;
  ForceOptions options = force_options(Mac::acceleration, 0x1p-7F);
  const MassPoints particles = cuspy_sphere(sphere().size());
  const std::vector<Force> exact = summed(particles);
  const auto forces = [&](const ForceVariant& variant, int group_size) {
    options.variation = variation(variant);
    options.group_size = std::uint32_t(group_size);
    SolverAndParticles<Device> tree(this->device, options, particles);
    const double error = percentile(errors_of(tree.with_old(exact).evaluate(), exact), 0.99);
    return std::pair(error, tree.cost);
  };
  const int full = std::min(64, 4 * this->width);
  const auto [wide_error, wide] = forces({}, full);
  const auto [narrow_error, narrow] = forces({.extent = 0.1F}, full);
  const auto [single_error, single] = forces({}, 1);
  EXPECT_LT(wide_error, narrow_error);
  EXPECT_LT(narrow_error, single_error);
  EXPECT_LT(wide.group_count, narrow.group_count);
  EXPECT_LT(narrow.group_count, single.group_count);
  EXPECT_GT(wide.counts.interactions(), narrow.counts.interactions());
  EXPECT_GT(narrow.counts.interactions(), single.counts.interactions());
  EXPECT_EQ(narrow.group_extent, 0.1F);
  EXPECT_EQ(wide.group_extent, 0);
}

}  // namespace
}  // namespace gothic
