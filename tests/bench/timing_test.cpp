#include "bench/timing.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gothic::detail {
namespace {

TEST(Timing, ChoicesTakeTurnsAndTheFirstTurnDoesNotCount) {
  std::vector<int> calls;
  const auto results = in_turn(2, std::vector{10, 20, 30}, [&](int choice) {
    calls.push_back(choice);
    return choice + int(calls.size());
  });
  EXPECT_EQ(calls, (std::vector{10, 20, 30, 10, 20, 30, 10, 20, 30}));
  EXPECT_EQ(results, (std::vector<std::vector<int>>{{14, 17}, {25, 28}, {36, 39}}));
}

TEST(Timing, RepeatsWhereThereIsNothingToChoose) {
  int calls = 0;
  EXPECT_EQ(repeated(3, [&] { return ++calls; }), (std::vector{2, 3, 4}));
}

TEST(Timing, SpreadIsThatOfOneMember) {
  struct Result {
    double seconds, other;
    double sum() const { return seconds + other; }
  };
  const std::vector<Result> results{{3, 10}, {1, 30}, {2, 50}};
  const files::Spread seconds = spread_of(results, &Result::seconds),
                      sums = spread_of(results, &Result::sum);
  EXPECT_EQ(seconds.median, 2);
  EXPECT_EQ(seconds.least, 1);
  EXPECT_EQ(seconds.most, 3);
  EXPECT_EQ(sums.median, 31);
}

}  // namespace
}  // namespace gothic::detail
