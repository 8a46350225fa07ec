#include "paper/brent.hpp"

#include <gtest/gtest.h>

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace gothic {
namespace {

using Function = std::function<double(double)>;

struct Problem {
  Function f;
  double lower, upper;
};

std::vector<Problem> problems() {
  return {{[](double x) { return (x - 0.3) * (x - 0.3); }, -1, 2},
          {[](double x) { return std::cosh(x - 1.7) + 0.1 * x; }, -4, 6},
          {[](double x) { return std::abs(x - 0.123); }, -1, 1},
          {[](double x) { return -std::exp(-x * x); }, -0.9, 2},
          {[](double x) { return x < 0 ? 1 - x : 1 + 0.01 * x; }, -3, 3},
          {[](double x) { return x; }, 2, 5},
          {[](double x) { return -x; }, 2, 5}};
}

std::pair<BrentMinimiser, int> minimise(const Problem& problem, double tolerance) {
  BrentMinimiser brent(problem.lower, problem.upper, tolerance);
  int evaluations = 0;
  while (!brent.converged() && evaluations < 1000) {
    brent.tell(problem.f(brent.next()));
    ++evaluations;
  }
  return {brent, evaluations};
}

TEST(BrentMinimiser, FindsWhatBoostFinds) {
  for (const Problem& problem : problems()) {
    const auto [brent, evaluations] = minimise(problem, 1e-6);
    const auto expected =
        boost::math::tools::brent_find_minima(problem.f, problem.lower, problem.upper, 40);
    EXPECT_TRUE(brent.converged());
    EXPECT_NEAR(brent.best(), expected.first, 4e-6);
    EXPECT_EQ(brent.best_value(), problem.f(brent.best()));
    EXPECT_LT(evaluations, 60);
  }
}

TEST(BrentMinimiser, StaysInsideAndNeverAsksTwiceTheSame) {
  for (const Problem& problem : problems()) {
    BrentMinimiser brent(problem.lower, problem.upper, 1e-3);
    std::vector<double> asked;
    while (!brent.converged()) {
      const double x = brent.next();
      ASSERT_GT(x, problem.lower);
      ASSERT_LT(x, problem.upper);
      for (const double before : asked) ASSERT_NE(x, before);
      asked.push_back(x);
      brent.tell(problem.f(x));
    }
  }
}

TEST(BrentMinimiser, SmoothFunctionsTakeFewEvaluations) {
  const auto [brent, evaluations] =
      minimise({[](double x) { return 1 + (x - 0.4) * (x - 0.4); }, -3, 3}, 0.1);
  EXPECT_NEAR(brent.best(), 0.4, 0.2);
  EXPECT_LE(evaluations, 8);
}

TEST(BrentMinimiser, NoiseDoesNotKeepItGoing) {
  int k = 0;
  const Problem noisy{[&](double x) { return x * x + 0.05 * std::sin(12.9898 * ++k); }, -3, 4};
  const auto [brent, evaluations] = minimise(noisy, 0.1);
  EXPECT_TRUE(brent.converged());
  EXPECT_LE(evaluations, 20);
  EXPECT_LT(std::abs(brent.best()), 1);
}

}  // namespace
}  // namespace gothic
