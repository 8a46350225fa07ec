#include <cmath>
#include <cstdint>
#include <utility>

#include "paper/published_parts.hpp"
#include "tests/core/engine/simulations.hpp"

namespace gothic::test {
namespace {

class PublishedSteps : public SimulationOnDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, PublishedSteps, every_device());

/// Groups that advance as a whole take the steps of their fastest members: more updates, and the
/// energy is kept at least as well.
TEST_P(PublishedSteps, OfWholeGroupsAreAsGoodAndCostMoreUpdates) {
  const files::Snapshot start = plummer(4096);
  ForceOptions force{.acceptance = {.accuracy = 0x1p-9F}, .softening = start.softening};
  StepOptions steps{.rule = {.eta = 0.25}, .end_time = 2};
  const auto advanced = [&](std::uint32_t together) {
    steps.rule.together = together;
    const auto simulation = make_simulation(device(), start, force, steps);
    const double first = simulation->energy().sums.total();
    std::uint64_t updates = 0;
    while (!simulation->finished()) {
      const StepRecord record = simulation->step();
      updates += record.active;
      std::uint32_t particles = 0;
      for (const StepLevel& level : simulation->levels()) particles += level.particles;
      EXPECT_TRUE(simulation->finished() || particles == start.particles.size());
    }
    EXPECT_TRUE(simulation->synchronised());
    return std::pair(updates, std::abs(simulation->energy().sums.total() / first - 1));
  };
  const auto [updates, error] = advanced(1);
  const auto [updates_of_groups, error_of_groups] = advanced(published_group);
  EXPECT_GT(double(updates_of_groups), 1.05 * double(updates));
  EXPECT_LT(double(updates_of_groups), 4 * double(updates));
  EXPECT_LT(error, 2e-4);
  EXPECT_LT(error_of_groups, 2e-4);
}

}  // namespace
}  // namespace gothic::test
