#include "bench/balls.hpp"

#include <cmath>
#include <variant>

#include "tests/bench/tables.hpp"

namespace gothic {
namespace {

using namespace test;
using namespace detail;

TEST(BallRatios, AreOneForTheSmallestBallsAndForPoints) {
  const Radii smallest{1, 0, 2};
  files::ReportRow row;
  put_ratios(row, smallest, smallest);
  for (const char* const name : {"mean", "median", "p95", "p99", "max"}) {
    EXPECT_EQ(number(row, std::string("radius_over_smallest_") + name), 1);
  }
}

TEST(BallRatios, HaveTheirPercentilesWhateverTheOrderOfGroups) {
  Radii smallest, radii;
  for (int i = 100; i >= 0; --i) {  // ratios 1, 1.01, ... 2
    smallest.push_back(0.5 + i);
    radii.push_back((1 + i / 100.0) * smallest.back());
  }
  files::ReportRow row;
  put_ratios(row, radii, smallest);
  EXPECT_NEAR(number(row, "radius_over_smallest_mean"), 1.5, 1e-12);
  EXPECT_NEAR(number(row, "radius_over_smallest_median"), 1.5, 1e-12);
  EXPECT_NEAR(number(row, "radius_over_smallest_p95"), 1.95, 1e-12);
  EXPECT_NEAR(number(row, "radius_over_smallest_p99"), 1.99, 1e-12);
  EXPECT_NEAR(number(row, "radius_over_smallest_max"), 2, 1e-12);
}

TEST(BallRatios, AreCountedOnceForEachGroupWithExtent) {
  const Radii smallest{0, 2, 2, 2, 30, 30}, radii{0, 2.051, 2.059, 2.2, 90, 33.3};
  files::ReportTable table;
  count_ratios(table, "geo", radii, smallest);
  ASSERT_EQ(table.rows().size(), 4U);
  double groups = 0;
  for (const files::ReportRow& row : table.rows()) {
    EXPECT_EQ(word(row, "ball"), "geo");
    groups += number(row, "groups");
    const bool is_small = number(row, "radius_low") < 10;
    EXPECT_LE(number(row, "radius_low"), is_small ? 2 : 30);
    EXPECT_GT(number(row, "radius_high"), is_small ? 2 : 30);
    EXPECT_NEAR(number(row, "radius_high") / number(row, "radius_low"), std::pow(10, 0.1), 1e-9);
    const bool is_open = std::holds_alternative<std::monostate>(cell(row, "ratio_high"));
    EXPECT_EQ(is_open, number(row, "ratio_low") == 2);
  }
  EXPECT_EQ(groups, 5);
  EXPECT_NEAR(number(table.rows().front(), "ratio_low"), 1.02, 1e-12);
  EXPECT_NEAR(number(table.rows().front(), "ratio_high"), 1.03, 1e-12);
  EXPECT_EQ(number(table.rows().front(), "groups"), 2);
  EXPECT_EQ(number(table.rows().back(), "groups"), 1);  // three times the smallest
}

}  // namespace
}  // namespace gothic
