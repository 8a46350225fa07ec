#include "settings/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
      EXPECT_NO_THROW(chosen.steps({}));
      EXPECT_NO_THROW(chosen.log());
    }
  }
}

TEST(Settings, DefaultsAreThoseOfTheCore) {
  const files::Snapshot snapshot = pair();
  const ForceOptions force = settings({}).force(snapshot), own_force;
  EXPECT_EQ(force.acceptance.mac, own_force.acceptance.mac);
  EXPECT_EQ(force.split_ratio, own_force.split_ratio);
  EXPECT_EQ(force.variation, own_force.variation);
  const StepOptions steps = settings({}).steps({}), own_steps;
  EXPECT_EQ(steps.rule.eta, own_steps.rule.eta);
  EXPECT_FALSE(steps.rebuild_policy);
  const RunOptions run = settings({}).run(snapshot), own_run;
  EXPECT_EQ(run.checkpoint_interval, own_run.checkpoint_interval);
  EXPECT_EQ(run.snapshot, own_run.snapshot);
}

TEST(Settings, PublishedPartsGiveWayToOptionsThatAreNotAtTheirDefaults) {
  const files::Snapshot snapshot = pair();
  const GivenOption all{"as-published", {"all"}};
  const ForceOptions published = settings({all}).force(snapshot);
  EXPECT_EQ(published.acceptance.order, Order::point);
  EXPECT_EQ(published.split_ratio, 0);
  EXPECT_TRUE(settings({all}).steps({}).rebuild_policy);
  EXPECT_EQ(settings({all}).steps({}).rule.together, 32U);

  std::vector<GivenOption> at_defaults{all};
  for (const char* name : {"order", "split-ratio", "rebuild-rule"}) {
    at_defaults.push_back({name, {settings({}).options().text(name)}});
  }
  const ForceOptions told = settings(at_defaults).force(snapshot);
  EXPECT_EQ(told.acceptance.order, Order::point);
  EXPECT_EQ(told.split_ratio, 0);
  EXPECT_TRUE(settings(at_defaults).steps({}).rebuild_policy);

  const std::vector<GivenOption> own{all, {"order", {"octupole"}}, {"split-ratio", {"4"}}};
  EXPECT_EQ(settings(own).force(snapshot).acceptance.order, Order::octupole);
  EXPECT_EQ(settings(own).force(snapshot).split_ratio, 4);
}

TEST(Settings, SofteningIsThatOfTheOptionsOrOfTheParticles) {
  files::Snapshot snapshot = pair();
  EXPECT_EQ(settings({}).softening(snapshot).length, 0.1);
  EXPECT_EQ(settings({{"softening", {"0.5"}}}).softening(snapshot).length, 0.5);
  EXPECT_EQ(settings({{"softening", {"0.5"}}}).provenance(snapshot).at("softening"), "0.5");
  snapshot.softening = 0;
  EXPECT_THROW(settings({}).softening(snapshot), InputError);
}

TEST(Settings, SofteningIsThatOfEachComponent) {
  files::Snapshot snapshot = pair();
  snapshot.softening = 0.1;
  snapshot.components = {{"halo", 1, 0.5}, {"disc", 4, 0}};
  const std::vector<double> lengths = {0.5, 0.1};
  EXPECT_EQ(settings({}).softening(snapshot).of_components, lengths);
  EXPECT_EQ(settings({}).softening(snapshot).length, 0.1) << "the shortest";
  EXPECT_EQ(settings({}).provenance(snapshot).at("softening"), "halo=0.5,disc=0.1");
  EXPECT_EQ(settings({}).force(snapshot).component_softening, lengths);
  EXPECT_EQ(settings({}).direct(snapshot).component_softening, lengths);
  EXPECT_TRUE(settings({{"softening", {"0.2"}}}).softening(snapshot).of_components.empty());
  snapshot.components[1].softening = 0.5;
  EXPECT_TRUE(settings({}).softening(snapshot).of_components.empty());
  EXPECT_EQ(settings({}).softening(snapshot).length, 0.5);
  snapshot.components[1].softening = snapshot.softening = 0;
  EXPECT_THROW(settings({}).softening(snapshot), InputError) << "the disc has none";
}

TEST(Settings, QuantitiesComeInTheUnitsOfTheParticles) {
  files::Snapshot snapshot = pair();
  const Settings chosen = settings({{"softening", {"50 pc"}},
                                    {"time", {"100Myr"}},
                                    {"snapshot-times", {"10Myr,0.05,1e15s"}},
                                    {"accuracy", {"2^-9"}},
                                    {"steps", {"1e3"}}});
  EXPECT_THROW(chosen.softening(snapshot), InputError) << "in model units nothing is a parsec";
  EXPECT_THROW(chosen.steps({}), InputError);
  snapshot.units = {files::kiloparsec, 1e10 * files::solar_mass, 1e5};
  EXPECT_DOUBLE_EQ(chosen.softening(snapshot).length, 0.05);
  const double myr = 1e-3 * files::gigayear * 1e5 / files::kiloparsec;
  EXPECT_DOUBLE_EQ(chosen.steps(snapshot.units).end_time, 100 * myr);
  const RunOptions run = chosen.run(snapshot);
  ASSERT_EQ(run.outputs.times.size(), 3U);
  EXPECT_DOUBLE_EQ(run.outputs.times[0], 10 * myr);
  EXPECT_DOUBLE_EQ(run.outputs.times[1], 1e15 * 1e5 / files::kiloparsec);
  EXPECT_EQ(run.outputs.times[2], 0.05);
  EXPECT_EQ(run.steps, 1000);
  const auto values = chosen.provenance(snapshot);
  EXPECT_EQ(values.at("accuracy"), "0.001953125");
  EXPECT_EQ(values.at("steps"), "1000");
  EXPECT_EQ(values.at("time").substr(0, 6), "0.1022");
  EXPECT_EQ(std::ranges::count(values.at("snapshot-times"), ','), 2);
}

TEST(Settings, SofteningOfParticlesWithoutMassIsNotAskedFor) {
  files::Snapshot snapshot = pair();
  snapshot.softening = 0;
  snapshot.particles.mass = {0, 0};
  EXPECT_EQ(settings({}).softening(snapshot).length, 1);
}

TEST(Settings, FixedStepsNeedSharedSteps) {
  EXPECT_THROW(settings({{"dt", {"0.1"}}}).steps({}), InputError);
  const StepOptions steps = settings({{"dt", {"0.1"}}, {"step", {"shared"}}}).steps({});
  EXPECT_EQ(steps.rule.mode, StepRule::Mode::fixed);
  EXPECT_EQ(steps.fixed_step, 0.1);
}

}  // namespace
}  // namespace gothic
