#include "app/settings.hpp"

#include <gtest/gtest.h>

#include "files/error.hpp"

namespace gothic {
namespace {

files::Snapshot pair() {
  files::Snapshot snapshot;
  snapshot.particles.resize(2);
  snapshot.particles.position[1] = {1, 0, 0};
  snapshot.particles.mass = {1, 1};
  snapshot.softening = 0.1;
  return snapshot;
}

Settings settings(const std::vector<GivenOption>& given) {
  return {Options(command_named("gothic run"), given), "pair"};
}

TEST(Settings, EveryChoiceOfTheTableIsUnderstood) {
  const files::Snapshot snapshot = pair();
  for (const Option& option : command_named("gothic run").options) {
    for (const std::string& choice : option.choices) {
      SCOPED_TRACE("--" + option.name + " " + choice);
      const Settings chosen = settings({{option.name, {choice}}});
      EXPECT_NO_THROW(chosen.force(snapshot));
      EXPECT_NO_THROW(chosen.steps());
      EXPECT_NO_THROW(chosen.log());
    }
  }
}

TEST(Settings, DefaultsAreThoseOfTheCore) {
  const files::Snapshot snapshot = pair();
  const ForceOptions force = settings({}).force(snapshot), own_force;
  EXPECT_EQ(force.acceptance.mac, own_force.acceptance.mac);
  EXPECT_EQ(force.split_ratio, own_force.split_ratio);
  EXPECT_EQ(force.grouping, own_force.grouping);
  const StepOptions steps = settings({}).steps(), own_steps;
  EXPECT_EQ(steps.rule.eta, own_steps.rule.eta);
  EXPECT_FALSE(steps.rebuild_policy);
  const RunOptions run = settings({}).run(snapshot), own_run;
  EXPECT_EQ(run.checkpoint_interval, own_run.checkpoint_interval);
  EXPECT_EQ(run.snapshot, own_run.snapshot);
}

TEST(Settings, SofteningIsThatOfTheOptionsOrOfTheParticles) {
  files::Snapshot snapshot = pair();
  EXPECT_EQ(settings({}).softening(snapshot), 0.1);
  EXPECT_EQ(settings({{"softening", {"0.5"}}}).softening(snapshot), 0.5);
  EXPECT_EQ(settings({{"softening", {"0.5"}}}).provenance(snapshot).at("softening"), "0.5");
  snapshot.softening = 0;
  EXPECT_THROW(settings({}).softening(snapshot), InputError);
}

TEST(Settings, FixedStepsNeedSharedSteps) {
  EXPECT_THROW(settings({{"dt", {"0.1"}}}).steps(), InputError);
  const StepOptions steps = settings({{"dt", {"0.1"}}, {"step", {"shared"}}}).steps();
  EXPECT_EQ(steps.rule.mode, StepRule::Mode::fixed);
  EXPECT_EQ(steps.fixed_step, 0.1);
}

}  // namespace
}  // namespace gothic
