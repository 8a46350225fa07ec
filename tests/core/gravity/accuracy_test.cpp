#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/core/gravity/forces.hpp"

/// Forces of the tree against direct summation.
namespace gothic {
namespace {

using namespace test;

constexpr std::size_t particle_count = 4096;

const MassPoints& sphere() {
  static const MassPoints particles = plummer_sphere(particle_count);
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

/// Calls check(criterion, order) for all.
template <class Check>
void for_each_kind(Check check) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
      SCOPED_TRACE(name_of(mac) + ", order " + std::to_string(int(order)));
      check(mac, order);
    }
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

  /// The bounds hold for groups of 32. Smaller groups, on narrow registers, are less exact.
  static constexpr std::uint32_t group_size = std::min(32, 4 * OnDevice<Case>::width);
  static constexpr double narrow = 32.0 / group_size;

  std::vector<Vec4> forces(const ForceOptions& options) {
    SolverAndParticles<Device> tree(this->device, options, sphere());
    auto result = tree.with_old(reference()).evaluate();
    cost = tree.cost;
    return result;
  }

  std::vector<double> errors(const ForceOptions& options) {
    return errors_of(forces(options), reference());
  }

  ForceCost cost;  ///< cost of the last forces
};
TYPED_TEST_SUITE(TreeAccuracy, Devices);

TYPED_TEST(TreeAccuracy, ErrorsFallAndCostsGrowDownToSinglePrecision) {
  for_each_kind([&](Mac mac, Order order) {
    double last_median = 1, last_tail = 1;
    std::uint64_t last_pairs = 0;
    for (const float accuracy : accuracies(mac)) {
      SCOPED_TRACE(accuracy);
      ForceOptions options = force_options(mac, accuracy);
      options.acceptance.order = order;
      options.root = RootChoice::newton;
      options.leaf_capacity = 32;
      options.group_size = TestFixture::group_size;
      const auto errors = this->errors(options);
      const double median = percentile(errors, 0.5), tail = percentile(errors, 0.99);
      EXPECT_LT(median, std::max(last_median, 1e-6));
      EXPECT_LT(tail, std::max(last_tail, 4e-6));
      if (mac == Mac::acceleration) {  // this criterion bounds the error
        EXPECT_LT(median, TestFixture::narrow * accuracy + 1e-6);
        EXPECT_LT(tail, 5 * accuracy + 4e-6);
      }
      EXPECT_GT(this->cost.counts.interactions(), last_pairs);
      EXPECT_LE(this->cost.counts.interactions(), particle_count * particle_count);
      last_median = median;
      last_tail = tail;
      last_pairs = this->cost.counts.interactions();
    }
    // The opening angle's smallest value is still far from opening everything.
    const bool is_angle = mac == Mac::opening;
    EXPECT_LT(last_median, is_angle ? 6e-5 * TestFixture::narrow : 1e-6) << name_of(mac);
    EXPECT_LT(last_tail, is_angle ? 6e-5 * TestFixture::narrow : 4e-6) << name_of(mac);
  });
}

TYPED_TEST(TreeAccuracy, EachHigherOrderMakesForcesMoreExactAtAnyAccuracy) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const float accuracy : accuracies(mac)) {
      ForceOptions options = force_options(mac, accuracy);
      options.root = RootChoice::newton;
      options.split_ratio = 0;
      options.group_size = TestFixture::group_size;
      const auto of_order = [&](Order order) {
        options.acceptance.order = order;
        return this->errors(options);
      };
      auto lower = of_order(Order::point);
      for (const Order order : {Order::quadrupole, Order::octupole}) {
        const auto higher = of_order(order);
        for (const double part : {0.5, 0.99}) {
          EXPECT_LT(percentile(higher, part), 1.1 * percentile(lower, part) + 2e-6)
              << name_of(mac) << " " << accuracy << ", percentile " << 100 * part << ", order "
              << int(order);
        }
        lower = higher;
      }
    }
  }
}

TYPED_TEST(TreeAccuracy, PotentialsLeaveOutTheOwnContribution) {
  const auto found = this->forces(force_options(Mac::acceleration, 0x1p-12F));
  const auto errors = potential_errors_of(found, reference());
  // A particle's own potential would be a hundredth of it.
  EXPECT_LT(percentile(errors, 0.5), 1e-4);
  EXPECT_LT(percentile(errors, 0.99), 5e-4);
  EXPECT_LT(percentile(errors, 1), 5e-3);
}

TYPED_TEST(TreeAccuracy, OpeningEverythingIsDirectSummation) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const std::uint32_t capacity : {1, 32}) {
      ForceOptions options = open_everything();
      options.leaf_capacity = capacity;
      if (mac != Mac::opening) options.acceptance = {mac, 1e-25F, 1};
      const auto found = this->forces(options);
      EXPECT_EQ(this->cost.counts.interactions(), particle_count * particle_count) << name_of(mac);
      EXPECT_EQ(this->cost.group_count, particle_count);
      const auto errors = errors_of(found, reference());
      EXPECT_LT(percentile(errors, 0.5), 5e-7) << name_of(mac);
      EXPECT_LT(percentile(errors, 1), 1e-5) << name_of(mac);
      EXPECT_LT(percentile(potential_errors_of(found, reference()), 1), 2e-6) << name_of(mac);
    }
  }
}

TYPED_TEST(TreeAccuracy, SizesAndCurveMatterForSpeedOnly) {
  for_each_kind([&](Mac mac, Order order) {
    const float accuracy = mac == Mac::opening ? 0.5F : 0x1p-7F;
    ForceOptions alone = force_options(mac, accuracy);
    alone.acceptance.order = order;
    alone.group_size = 1;
    alone.leaf_capacity = 1;
    // No particle is more exposed to the errors of cells than one that walks alone through a tree
    // with leaves of one particle.
    const double bound = 1.1 * percentile(this->errors(alone), 0.99);
    for (const Curve curve : {Curve::hilbert, Curve::morton}) {
      for (const std::uint32_t size : {1, 8, 16, 32, 64}) {
        if (size > 4 * std::uint32_t(this->width)) continue;
        for (const std::uint32_t capacity : {1, 8, 32, 64}) {
          ForceOptions options = force_options(mac, accuracy);
          options.acceptance.order = order;
          options.curve = curve;
          options.group_size = size;
          options.leaf_capacity = capacity;
          EXPECT_LT(percentile(this->errors(options), 0.99), bound)
              << "groups of " << size << ", leaves of " << capacity;
        }
      }
    }
  });
}

TYPED_TEST(TreeAccuracy, TheEstimatedRootAddsNoMoreThanItsError) {
  using Warp = typename TestFixture::Warp;
  // An exact estimate has the error of single precision.
  const double root_error = std::max(Warp::root_error, 3e-7);
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const float accuracy : accuracies(mac)) {
      ForceOptions options = force_options(mac, accuracy);
      if (!estimate_allowed(options.acceptance, Warp::root_error)) continue;
      options.root = RootChoice::newton;
      const auto newton = this->errors(options);
      options.root = RootChoice::estimate;
      const auto estimate = this->errors(options);
      // Close pairs are few, so their errors do not average away.
      EXPECT_LT(percentile(estimate, 0.5), 1.05 * percentile(newton, 0.5) + root_error / 12)
          << name_of(mac) << " " << accuracy;
      EXPECT_LT(percentile(estimate, 0.99), 1.05 * percentile(newton, 0.99) + root_error)
          << name_of(mac) << " " << accuracy;
    }
  }
}

}  // namespace
}  // namespace gothic
