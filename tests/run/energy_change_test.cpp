#include "run/energy_change.hpp"

#include <gtest/gtest.h>

namespace gothic {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CauseOfChange, IsWhatTheWorkOfForceErrorsLeaves) {
  const auto cause = [](double work, double uncertainty) {
    return cause_of(-0.01, ForceErrors{work, uncertainty}, 1, 0.5);
  };
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_TRUE(cause(sign * 0.001, 0.001)
                    .starts_with("the steps are too long, errors of the forces explain at most 30 "
                                 "% of it; use a smaller "
                                 "eta"));
    EXPECT_FALSE(has(cause(sign * 0.001, 0.001), "accuracy"));
  }
  EXPECT_EQ(cause(-0.009, 0.001),
            "the forces are too inexact, their errors explain at least 70 % of it; use a smaller "
            "accuracy than 0.5");
  EXPECT_FALSE(has(cause(0.009, 0.001), "explain at least")) << "they have the other sign";
}

TEST(CauseOfChange, BothRemediesAreGivenWhereItIsUncertainTheLikelierFirst) {
  for (const double work : {0.003, 0.007}) {
    const std::string cause = cause_of(0.01, ForceErrors{work, 0.002}, 1, 0.5);
    const std::size_t steps = cause.find("a smaller eta"),
                      forces = cause.find("a smaller accuracy");
    ASSERT_NE(steps, std::string::npos);
    ASSERT_NE(forces, std::string::npos);
    EXPECT_EQ(steps < forces, work < 0.005);
    EXPECT_TRUE(has(cause, work < 0.005 ? "explain 0 % to 70 %" : "explain 30 % to 100 %"));
  }
}

TEST(CauseOfChange, ShortSofteningIsARemedyOfSteps) {
  const ForceErrors none{0, 1e-6};
  EXPECT_TRUE(has(cause_of(0.01, none, 27, 0.5), "a longer softening"));
  EXPECT_FALSE(has(cause_of(0.01, none, 3, 0.5), "softening"));
}

}  // namespace
}  // namespace gothic
