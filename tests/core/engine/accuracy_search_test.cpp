#include "core/engine/accuracy_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace gothic {
namespace {

/// Forces whose errors and pairs follow power laws.
struct PowerLaws {
  struct Law {
    double error;  ///< with accuracy 1
    double slope;
    double pairs;  ///< with error 1
    double growth;
  };
  std::map<Order, Law> laws;
  int trials = 0;

  AccuracyTrial operator()(const Acceptance& acceptance) {
    ++trials;
    const Law& law = laws.at(acceptance.order);
    const double error = law.error * std::pow(acceptance.accuracy, law.slope);
    return {error, law.pairs * std::pow(error, -law.growth)};
  }
};

PowerLaws laws() {
  return {{{Order::point, {0.1, 0.6, 1, 1}},
           {Order::quadrupole, {0.05, 0.65, 1, 0.6}},
           {Order::octupole, {0.03, 0.6, 4, 0.4}}}};
}

AccuracyChoice search(PowerLaws& forces, double error, Order order, Mac mac = Mac::acceleration) {
  Acceptance wanted{mac, 0x1p-7F, 1, order};
  return search_accuracy(wanted, error, 1, [&](const Acceptance& a) { return forces(a); });
}

TEST(AccuracySearch, FindsTheErrorInFewTrials) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole}) {
    for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
      for (const double error : {1e-2, 1e-3, 1e-4, 1e-5}) {
        PowerLaws forces = laws();
        const AccuracyChoice choice = search(forces, error, order, mac);
        EXPECT_EQ(choice.acceptance.order, order);
        EXPECT_EQ(choice.acceptance.mac, mac);
        EXPECT_NEAR(forces(choice.acceptance).error / error, AccuracyChoice::aim, 0.08);
        EXPECT_LE(forces.trials, 5);
      }
    }
  }
}

TEST(AccuracySearch, TakesTheOrderThatSumsFewerPairsAtThisError) {
  // 1 / error^0.6 = 4 / error^0.4 at an error of 1e-3.
  PowerLaws forces = laws();
  EXPECT_EQ(search(forces, 3e-3, Order::automatic).acceptance.order, Order::quadrupole);
  EXPECT_EQ(search(forces, 3e-4, Order::automatic).acceptance.order, Order::octupole);
}

TEST(AccuracySearch, KeepsTheAccuracyWhereForcesHaveNoErrors) {
  PowerLaws forces = laws();
  for (auto& [order, law] : forces.laws) law.error = 0;
  const AccuracyChoice choice = search(forces, 1e-3, Order::automatic);
  EXPECT_EQ(choice.acceptance.accuracy, 0x1p-7F);
  EXPECT_EQ(choice.acceptance.order, Order::quadrupole);
}

TEST(AccuracySearch, DoesWhatItCanWhereTheErrorIsOutOfReach) {
  // Rounding leaves an error.
  const auto rounded = [](const Acceptance& acceptance) {
    return AccuracyTrial{std::hypot(3e-7, 0.05 * std::pow(acceptance.accuracy, 0.65)),
                         1 / double(acceptance.accuracy)};
  };
  const Acceptance wanted{Mac::acceleration, 0x1p-7F, 1, Order::quadrupole};
  const AccuracyChoice fine = search_accuracy(wanted, 1e-8, 1, rounded);
  EXPECT_LT(rounded(fine.acceptance).error, 2e-6);
  EXPECT_GT(fine.acceptance.accuracy, 0);
  // Few particles: even the coarsest accuracy opens nearly all cells.
  const auto exact = [](const Acceptance&) { return AccuracyTrial{1e-7, 100}; };
  const AccuracyChoice coarse = search_accuracy(wanted, 1e-2, 1, exact);
  EXPECT_GT(coarse.acceptance.accuracy, 0x1p-7F);
  EXPECT_LE(coarse.acceptance.accuracy, 0.5F);
}

TEST(AccuracySearch, NeverOpensAnglesAboveOne) {
  const auto exact = [](const Acceptance&) { return AccuracyTrial{1e-7, 100}; };
  const Acceptance wanted{Mac::opening, 0.6F, 1, Order::quadrupole};
  AccuracyChoice choice = search_accuracy(wanted, 1e-2, 1, exact);
  EXPECT_LE(choice.acceptance.accuracy, 1);
  EXPECT_TRUE(choice.correct(1e-2, 1e-7));
  EXPECT_LE(choice.acceptance.accuracy, 1);
}

TEST(AccuracyChoice, IsCorrectedOnlyBeyondItsBand) {
  AccuracyChoice choice{{Mac::acceleration, 0x1p-8F}, 0.5};
  for (const double found : {0.76e-3, 0.9e-3, 1.04e-3}) EXPECT_FALSE(choice.correct(1e-3, found));
  EXPECT_EQ(choice.acceptance.accuracy, 0x1p-8F);
  EXPECT_TRUE(choice.correct(1e-3, 1.8e-3));
  EXPECT_FLOAT_EQ(choice.acceptance.accuracy, 0x1p-10F) << "half the error by the square root";
  EXPECT_TRUE(choice.correct(1e-3, 1e-4));
  EXPECT_FLOAT_EQ(choice.acceptance.accuracy, 0x1p-8F) << "at most four times as coarse at once";
  for (const double none : {0.0, double(NAN), double(INFINITY)}) {
    EXPECT_FALSE(choice.correct(1e-3, none));
  }
}

}  // namespace
}  // namespace gothic
