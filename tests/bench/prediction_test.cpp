#include "bench/prediction.hpp"

#include <gtest/gtest.h>

#include "bench/domain_bench.hpp"
#include "tests/core/device/devices.hpp"

/// Predictions for ranks, from numbers that are easy to add.
namespace gothic::detail {
namespace {

/// Four domains, two of which were timed.
DivisionMeasures four_domains() {
  DivisionMeasures division{.domains = 4,
                            .particles_mean = 100,
                            .cost_imbalance = 1.5,
                            .particles_largest = 120,
                            .outlines = 8,
                            .movers = 1.5,
                            .build = 10,
                            .outline = 0.5};
  division.passing = {.prune = 1, .attach = 2, .pack = 3, .unpack = 4};
  DomainMeasures one, two;
  one.taken = {.value_bytes = 1000, .topology_bytes = 50};
  one.given = {.value_bytes = 3000, .topology_bytes = 20};
  one.force = 40;
  two.taken = {.value_bytes = 2000, .topology_bytes = 60};
  two.given = {.value_bytes = 100, .topology_bytes = 70};
  two.force = 20;
  division.timed = {one, two};
  return division;
}

constexpr WholeTimes whole{.keys = 4, .sort = 8, .predict = 16, .correct = 24};

TEST(Prediction, AddsMessagesAndBytes) {
  Predicted predicted{.compute = 3};
  predicted.exchange(7, 100).gather(8, 10);
  EXPECT_DOUBLE_EQ(predicted.seconds({.bandwidth = 10, .latency = 0.5}),
                   3 + (7 + 3) * 0.5 + (100 + 7 * 10) / 10.0);
  EXPECT_DOUBLE_EQ(Predicted().gather(1, 10).seconds({}), 0);
  EXPECT_DOUBLE_EQ(Predicted().deal(8, 10).bytes, 3 * 4 * 10);
}

TEST(Prediction, OfAStepIsThatOfItsLargestDomain) {
  const Predicted step = predict_step(four_domains(), whole);
  EXPECT_DOUBLE_EQ(step.compute, 1.5 * 30 + 1.2 * (16 + 24) / 4 + 3 + 4);
  EXPECT_DOUBLE_EQ(step.messages, 3 + 3 * 2);
  EXPECT_DOUBLE_EQ(step.bytes, 3000 + 3.0 * (sizeof(std::uint32_t) + sizeof(Population::Counts) +
                                             sizeof(StepRecord)));
}

TEST(Prediction, OfAConstructionHasWhatIsMovedAndPassed) {
  MovedBytes moved = [] {
    Bodies<cpu::Device> bodies;
    return MovedBytes(bodies);
  }();
  moved.bytes = 40;
  moved.arrays = 5;
  const Predicted construction = predict_construction(four_domains(), whole, moved);
  EXPECT_DOUBLE_EQ(construction.compute, 1.2 * (10 + (4.0 + 8) / 4) + 0.5 + 1 + 2);
  // Five gathers and two deals take log2 4 = 2 messages each.
  EXPECT_DOUBLE_EQ(construction.messages, 7 * 2 + 5 * 2 + 3 + 2 * 3);
  const double gathered = sizeof(Box) + sizeof(MassAndMoment) +
                          double(samples_of_each(4)) * sizeof(KeySample) + sizeof(std::size_t) +
                          sizeof(std::uint32_t);
  const double dealt = 2.0 * 4 / 2 * (sizeof(std::size_t) + 2 * sizeof(std::uint32_t));
  EXPECT_DOUBLE_EQ(construction.bytes,
                   3 * gathered + dealt + 1.5 * 40 + 0.75 * 8 * sizeof(Outline) + 70);
}

TEST(Prediction, OfOneDomainHasNoMessages) {
  DivisionMeasures one = four_domains();
  one.domains = 1;
  one.movers = 0;
  for (DomainMeasures& domain : one.timed) domain.taken = domain.given = {};
  const Predicted step = predict_step(one, whole);
  EXPECT_EQ(step.messages, 0);
  EXPECT_EQ(step.bytes, 0);
}

TEST(Prediction, TimesDomainsThatAreEvenlySpread) {
  EXPECT_EQ(spread_domains(3, 32), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(spread_domains(8, 2), (std::vector<std::size_t>{2, 6}));
  EXPECT_EQ(spread_domains(4096, 32).size(), 32U);
}

TEST(Prediction, HasMeanAndLargestOfTheTimedDomains) {
  const MeanAndLargest force(four_domains().timed, &DomainMeasures::force);
  EXPECT_DOUBLE_EQ(force.mean, 30);
  EXPECT_DOUBLE_EQ(force.largest, 40);
}

}  // namespace
}  // namespace gothic::detail
