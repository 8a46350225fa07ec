#include "bench/steps.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tests/bench/inputs.hpp"
#include "tests/bench/tables.hpp"
#include "tests/core/device/devices.hpp"

/// Times of steps with several settings.
namespace gothic {
namespace {

using namespace test;
using namespace detail;

/// Fixed steps of all particles.
BenchTask task_of(const std::string& word, std::size_t particles, int round_steps) {
  BenchTask task{.word = word, .input = input_of(plummer(particles)), .steps = {}};
  task.steps.rule.mode = StepRule::Mode::fixed;
  task.steps.fixed_step = 0x1p-10;
  task.round_steps = round_steps;
  task.repeats = 1;
  return task;
}

files::ReportTable table_of(const BenchTask& task) { return bench({"cpu", 1}, task).tables.table; }

void expect_the_best_fixed_is_one(const files::ReportTable& table) {
  double best = std::numeric_limits<double>::max();
  for (const files::ReportRow& row : rows_with(table, "kind", "fixed")) {
    best = std::min(best, number(row, "seconds_over_best"));
  }
  EXPECT_EQ(best, 1);
}

TEST(Race, LeavesOutFixedSettingsThatAreHopeless) {
  BenchTask task = task_of("", 3000, 2);
  task.repeats = 3;
  ForceOptions fast = task.input->force, slow = fast;
  fast.acceptance.accuracy = 0.5;
  slow.acceptance.accuracy = 1e-7F;
  slow.group_size = 1;
  const auto racing = race(DeviceCase<cpu::Device, 1>::make(), task,
                           {{"fast", "fixed", fast, task.steps},
                            {"slow", "fixed", slow, task.steps},
                            {"slow rule", "rule", slow, task.steps}});
  ASSERT_EQ(racing.size(), 2U);
  EXPECT_EQ(racing[0].setting, "fast");
  EXPECT_EQ(racing[1].setting, "slow rule");
  for (const Contender& one : racing) {
    EXPECT_EQ(one.seconds.size(), 3U);
    EXPECT_EQ(one.timed_steps, 6U);
    EXPECT_DOUBLE_EQ(one.time, 6 * 0x1p-10);
  }
  EXPECT_GT(racing[1].per_step(), racing[0].per_step());
  EXPECT_GT(racing[1].interactions, 2 * racing[0].interactions);
}

TEST(Race, IsWonByTheFastestFixedSetting) {
  const auto one = [](const char* kind, std::vector<double> seconds) {
    return Contender{"", kind, {}, {}, std::move(seconds)};
  };
  EXPECT_EQ(best_fixed({one("fixed", {5, 1, 4}), one("rule", {2}), one("fixed", {3, 9, 3})}), 3);
  EXPECT_EQ(best_fixed({}), 0);
}

TEST(StepsBench, TellsWhatAStepOfEachRoundTakes) {
  BenchTask task = task_of("steps", 600, 8);
  task.repeats = 3;
  task.steps.rebuild_interval = 4;
  const files::ReportTable table = table_of(task);
  ASSERT_EQ(table.rows().size(), 1U);
  const files::ReportRow& row = table.rows().front();
  EXPECT_EQ(number(row, "active/step"), 600);
  EXPECT_EQ(number(row, "rebuilds/step"), 0.25);
  EXPECT_GT(number(row, "launches/step"), number(row, "waits/step"));
  EXPECT_GE(number(row, "waits/step"), 1);
  double sum = 0;
  for (const char* const stage :
       {"predict", "keys", "sort", "build", "groups", "moments", "walk", "correct"}) {
    sum += number(row, std::string(stage) + "_seconds");
  }
  EXPECT_GT(sum, 0.5 * number(row, "step_seconds"));
  EXPECT_LT(number(row, "step_seconds_min"), number(row, "wall_seconds_max"));
}

TEST(RebuildBench, BuildsTreesAsOftenAsItsRowsSay) {
  const BenchTask task = task_of("rebuild", 600, 16);
  cpu::Device device = DeviceCase<cpu::Device, 1>::make();
  BenchSystem<cpu::Device> system(device, *task.input);
  const double pairs = double(system.force().counts.interactions()) / 600;
  const files::ReportTable table = table_of(task);
  std::set<std::string> settings;
  for (const files::ReportRow& row : table.rows()) {
    const std::string setting = word(row, "setting");
    settings.insert(setting);
    EXPECT_EQ(number(row, "steps"), 16);
    EXPECT_DOUBLE_EQ(number(row, "seconds_per_time"), number(row, "seconds_per_step") / 0x1p-10);
    if (word(row, "kind") == "rule") continue;
    const int interval = std::stoi(setting.substr(setting.find('-') + 1));
    if (interval <= 16) {
      EXPECT_NEAR(number(row, "rebuilds"), 16.0 / interval, 1 - 1e-9);
      EXPECT_DOUBLE_EQ(number(row, "mean_interval"), 16 / number(row, "rebuilds"));
    } else {
      EXPECT_EQ(number(row, "mean_interval"), 16);
    }
    EXPECT_NEAR(number(row, "pairs/particle/step") / pairs, 1, 0.1);
  }
  for (const char* const always : {"interval-1", "pairs", "seconds", "unweighted"}) {
    EXPECT_TRUE(settings.contains(always)) << always;
  }
  expect_the_best_fixed_is_one(table);
}

TEST(ExtentBench, NarrowsGroupsByHalvesOfAnOctave) {
  const files::ReportTable table = table_of(task_of("extent", 600, 4));
  const auto none = rows_with(table, "setting", "none"),
             limits = rows_with(table, "setting", "limit");
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(number(none.front(), "group_extent"), 0);
  EXPECT_EQ(rows_with(table, "setting", "auto").size(), 1U);
  ASSERT_FALSE(limits.empty());
  for (std::size_t k = 1; k < limits.size(); ++k) {
    const double octaves =
        std::log2(number(limits[k - 1], "group_extent") / number(limits[k], "group_extent"));
    EXPECT_GE(octaves, 0.499);
    EXPECT_NEAR(2 * octaves, std::round(2 * octaves), 1e-3);  // some may be left out
  }
  expect_the_best_fixed_is_one(table);
}

/// A limit takes the place of trials that the forces would make themselves, and of nothing else.
TEST(ExtentBench, MakesTrialsInOneRowAlone) {
  BenchTask task = task_of("extent", 600, 24);  // trials begin after 16 steps
  task.input->variant = {.tune_extent = true, .breadth_first = true};
  task.input->force.variation = variation(task.input->variant);
  const files::ReportTable table = table_of(task);
  EXPECT_EQ(number(rows_with(table, "setting", "none").front(), "group_extent"), 0);
  EXPECT_GT(number(rows_with(table, "setting", "auto").front(), "group_extent"), 0);
}

}  // namespace
}  // namespace gothic
