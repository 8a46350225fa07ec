#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/core/gravity/forces.hpp"

/// Forces of the tree against direct summation.
namespace gothic {
namespace {

using namespace test;

constexpr std::size_t particle_count = 4096;

const Particles& sphere() {
  static const Particles particles = plummer_sphere(particle_count);
  return particles;
}
const std::vector<Force>& reference() {
  static const std::vector<Force> forces = summed(sphere());
  return forces;
}

std::string name_of(Mac mac) {
  switch (mac) {
    case Mac::acceleration:
      return "acceleration";
    case Mac::multipole:
      return "multipole";
    default:
      return "opening";
  }
}

/// Parameters of a criterion from coarse to fine.
std::vector<float> accuracies(Mac mac) {
  if (mac == Mac::opening) return {0.9F, 0.7F, 0.5F, 0.4F, 0.3F, 0.2F, 0.1F};
  std::vector<float> result;
  for (int power = 2; power <= 22; power += 2) result.push_back(std::ldexp(1.0F, -power));
  return result;
}

template <class Case>
class TreeAccuracy : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  /// The bounds are those of groups of 32. Smaller ones, where registers are narrow, are less
  /// exact.
  static constexpr std::uint32_t group_size = std::min(32, 4 * OnDevice<Case>::width);
  static constexpr double narrow = 32.0 / group_size;

  std::vector<Vec4> forces(const ForceOptions& options) {
    TreeForces<Device> tree(this->device, options, sphere());
    auto result = tree.with_old(reference()).evaluate();
    cost = tree.cost;
    return result;
  }

  std::vector<double> errors(const ForceOptions& options) {
    return errors_of(forces(options), reference());
  }

  ForceCost cost;  ///< of the last forces
};
TYPED_TEST_SUITE(TreeAccuracy, Devices);

TYPED_TEST(TreeAccuracy, ErrorsFallWithTheAccuracyParameterDownToSinglePrecision) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const double fraction : {0.5, 0.99}) {
      const double floor = fraction < 0.9 ? 1e-6 : 4e-6;
      double last = 1;
      for (const float accuracy : accuracies(mac)) {
        ForceOptions options = force_options(mac, accuracy);
        options.root = RootChoice::newton;
        options.leaf_capacity = 32;
        options.group_size = TestFixture::group_size;
        const double error = percentile(this->errors(options), fraction);
        EXPECT_LT(error, std::max(last, floor))
            << name_of(mac) << " " << accuracy << ", fraction " << fraction;
        last = error;
      }
      // The opening angle's smallest value is still far from opening everything.
      EXPECT_LT(last, mac == Mac::opening ? 6e-5 * TestFixture::narrow : floor) << name_of(mac);
    }
  }
}

TYPED_TEST(TreeAccuracy, CostGrowsWithTheAccuracy) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    std::uint64_t last = 0;
    for (const float accuracy : accuracies(mac)) {
      this->forces(force_options(mac, accuracy));
      EXPECT_GT(this->cost.interactions, last) << name_of(mac) << " " << accuracy;
      EXPECT_LE(this->cost.interactions, particle_count * particle_count);
      last = this->cost.interactions;
    }
  }
}

TYPED_TEST(TreeAccuracy, AccelerationCriterionBoundsTheError) {
  for (const float accuracy : accuracies(Mac::acceleration)) {
    ForceOptions options = force_options(Mac::acceleration, accuracy);
    options.root = RootChoice::newton;
    options.leaf_capacity = 32;
    options.group_size = TestFixture::group_size;
    const auto errors = this->errors(options);
    EXPECT_LT(percentile(errors, 0.5), TestFixture::narrow * accuracy + 1e-6) << accuracy;
    EXPECT_LT(percentile(errors, 0.99), 5 * accuracy + 4e-6) << accuracy;
  }
}

TYPED_TEST(TreeAccuracy, PotentialsLeaveOutTheOwnContribution) {
  const auto found = this->forces(force_options(Mac::acceleration, 0x1p-12F));
  const auto errors = potential_errors_of(found, reference());
  // A particle's own share would be a hundredth.
  EXPECT_LT(percentile(errors, 0.5), 1e-4);
  EXPECT_LT(percentile(errors, 0.99), 5e-4);
  EXPECT_LT(percentile(errors, 1), 5e-3);
}

TYPED_TEST(TreeAccuracy, OpeningEverythingIsDirectSummation) {
  for (const std::uint32_t capacity : {1, 32}) {
    ForceOptions options = open_everything();
    options.leaf_capacity = capacity;
    const auto found = this->forces(options);
    EXPECT_EQ(this->cost.interactions, particle_count * particle_count);
    EXPECT_EQ(this->cost.group_count, particle_count);
    const auto errors = errors_of(found, reference());
    EXPECT_LT(percentile(errors, 0.5), 5e-7);
    EXPECT_LT(percentile(errors, 1), 1e-5);
    EXPECT_LT(percentile(potential_errors_of(found, reference()), 1), 2e-6);
  }
}

TYPED_TEST(TreeAccuracy, VanishingAccuracyOfTheOtherCriteriaOpensEverythingToo) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole}) {
    ForceOptions options = force_options(mac, 1e-25F);
    options.group_size = 1;
    EXPECT_LT(percentile(this->errors(options), 1), 1e-5) << name_of(mac);
    EXPECT_EQ(this->cost.interactions, particle_count * particle_count) << name_of(mac);
  }
}

TYPED_TEST(TreeAccuracy, SizesAndCurveMatterForSpeedOnly) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    const float accuracy = mac == Mac::opening ? 0.5F : 0x1p-7F;
    ForceOptions alone = force_options(mac, accuracy);
    alone.group_size = 1;
    alone.leaf_capacity = 1;
    // Nothing is more exposed to cells than a particle that walks alone through a tree that ends at
    // single particles.
    const double bound = 1.1 * percentile(this->errors(alone), 0.99);
    for (const Curve curve : {Curve::hilbert, Curve::morton}) {
      for (const std::uint32_t size : {1, 8, 16, 32, 64}) {
        if (size > 4 * std::uint32_t(this->width)) continue;
        for (const std::uint32_t capacity : {1, 8, 32, 64}) {
          ForceOptions options = force_options(mac, accuracy);
          options.curve = curve;
          options.group_size = size;
          options.leaf_capacity = capacity;
          EXPECT_LT(percentile(this->errors(options), 0.99), bound)
              << name_of(mac) << ", groups of " << size << ", leaves of " << capacity;
        }
      }
    }
  }
}

TYPED_TEST(TreeAccuracy, TheEstimatedRootAddsNoMoreThanItsError) {
  using Warp = typename TestFixture::Warp;
  // Where the estimate is exact, that of single precision.
  const double root_error = std::max(Warp::root_error, 3e-7);
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const float accuracy : accuracies(mac)) {
      ForceOptions options = force_options(mac, accuracy);
      if (!estimate_allowed(options.acceptance, Warp::root_error)) continue;
      options.root = RootChoice::newton;
      const auto newton = this->errors(options);
      options.root = RootChoice::estimate;
      const auto estimate = this->errors(options);
      // Close pairs are few, so that their errors do not average away.
      EXPECT_LT(percentile(estimate, 0.5), 1.05 * percentile(newton, 0.5) + root_error / 12)
          << name_of(mac) << " " << accuracy;
      EXPECT_LT(percentile(estimate, 0.99), 1.05 * percentile(newton, 0.99) + root_error)
          << name_of(mac) << " " << accuracy;
    }
  }
}

}  // namespace
}  // namespace gothic
