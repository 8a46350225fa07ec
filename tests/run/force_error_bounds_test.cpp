#include "run/force_error_bounds.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gothic {
namespace {

ForceErrorRecord record(double error, std::int32_t component = ForceErrorRecord::all) {
  ForceErrorRecord one;
  one.percentile_99 = error;
  one.component = component;
  one.accuracy = 0.0021F;
  return one;
}

std::vector<files::ComponentInfo> halo_and_bulge() {
  std::vector<files::ComponentInfo> components(2);
  components[0].name = "halo";
  components[1].name = "bulge";
  return components;
}

TEST(ForceErrorBounds, TellHowExactForcesAre) {
  EXPECT_EQ(in_words(record(8.71e-4)),
            "99 % of the force errors below 0.00087 (accuracy 0.0021, quadrupole)");
}

TEST(ForceErrorBounds, WarnOnceOfAnErrorThatIsNotAsAsked) {
  ForceErrorBounds bounds(1e-3);
  EXPECT_TRUE(bounds.warnings({record(1.2e-3)}, {}, {}).empty());
  const auto first = bounds.warnings({record(1.3e-3)}, {}, {});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0],
            "99 % of the force errors are below 0.0013, not 0.001 as was asked for: no "
            "accuracy that was tried gives it; ask for a larger --force-error");
  EXPECT_TRUE(bounds.warnings({record(1.4e-3)}, {}, {}).empty());
  ForceErrorRecord later = record(2e-3);
  later.step = 100;
  EXPECT_EQ(bounds.warnings({later}, {}, {}).front(),
            "99 % of the force errors are below 0.002, not 0.001 as was asked for: the accuracy of "
            "the coming steps is corrected");
  EXPECT_TRUE(ForceErrorBounds().warnings({record(1)}, {}, {}).empty()) << "nothing was asked for";
}

TEST(ForceErrorBounds, NameComponentsWithLargerErrorsThanAll) {
  ForceErrorBounds bounds(1e-3, halo_and_bulge());
  EXPECT_TRUE(bounds.warnings({record(9e-4), record(8e-4, 0), record(1.9e-3, 1)}, {}, {}).empty());
  const auto told = bounds.warnings({record(9e-4), record(8e-4, 0), record(2.1e-3, 1)}, {}, {});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].starts_with("99 % of the force errors on bulge are below 0.0021, more than"));
  EXPECT_TRUE(bounds.warnings({record(9e-4), record(8e-4, 0), record(2.1e-3, 1)}, {}, {}).empty());
}

/// Warnings of samples with some work, one after the other.
std::vector<std::string> told_of(const std::vector<double>& work,
                                 const ForceErrorBounds::Energy& energy) {
  ForceErrorBounds bounds;
  ForceWork known;
  std::vector<std::string> told;
  for (const double one_work : work) {
    ForceErrorRecord all = record(1e-3);
    all.power = 1.5e-3;
    all.work = one_work;
    known.add(all);
    for (const std::string& one : bounds.warnings({all}, known, energy)) told.push_back(one);
  }
  return told;
}

TEST(ForceErrorBounds, WarnOfPowerThatChangesTheEnergy) {
  const ForceErrorBounds::Energy energy{.total = -10, .bound = 0.005, .span = 5};
  const std::vector<double> work = {0.02, 0.021, 0.019, 0.02, 0.02};
  const auto told = told_of(work, energy);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("P = 1.5e-03"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("by -0.01 of its value"), std::string::npos) << told[0];
  EXPECT_TRUE(told_of({0.02, 0.02, 0.02}, energy).empty()) << "too few samples";
  EXPECT_TRUE(told_of({0.03, -0.01, 0.05, 0.01}, energy).empty()) << "it may be chance";
  EXPECT_TRUE(told_of(work, {-10, 0.005, 2}).empty()) << "too short a run";
  EXPECT_TRUE(told_of(work, {-10, 0, 5}).empty()) << "no bound";
  EXPECT_TRUE(told_of(work, {-10, 0.005, std::numeric_limits<double>::infinity()}).empty());
}

}  // namespace
}  // namespace gothic
