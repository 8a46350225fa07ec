#include "run/run_monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace gothic {
namespace {

/// A line of the log, with its keys in order.
nlohmann::ordered_json parsed(const std::string& line) {
  return nlohmann::ordered_json::parse(line);
}

/// A watch with a clock of its own, and what it wrote.
class WatchTest : public ::testing::Test {
 protected:
  RunMonitor watch(LogKind kind, bool is_terminal = false) {
    return RunMonitor(
        kind, {out, error, is_terminal, [this] { return columns; }, [this] { return wall; }});
  }

  RunOutline outline(double end_time = 10, std::int64_t last_step = 0) const {
    return {.end_time = end_time,
            .last_step = last_step,
            .particles = 1000,
            .device = "abacus",
            .threads = 3,
            .output = ""};
  }

  RunMonitor::Particles particles(double tick = 1e-9) {
    return {[this] { return levels; }, tick,
            [this] {
              return RunMonitor::Particles::Shortest{wanted, "particle 17"};
            },
            [](double, double, const ForceWork&) { return std::string("the moon; look away"); }};
  }

  /// Steps of equal length in simulated and in wall time.
  void take_steps(RunMonitor& watch, int count, double dt, double seconds) {
    for (int k = 0; k < count; ++k) {
      wall += seconds;
      StepRecord record;
      record.step = ++step;
      record.time = time += dt;
      record.force.counts.pairs[Order::point] = 500;
      watch.stepped(record);
    }
  }

  static std::vector<std::string> lines(const std::ostringstream& stream) {
    std::vector<std::string> all;
    std::istringstream in(stream.str());
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }

  std::ostringstream out, error;
  int columns = 200;
  double wall = 1000, time = 0, wanted = 0.1;
  std::int64_t step = 0;
  StepLevels levels{{0.0625, 1000}};
};

TEST_F(WatchTest, WithoutATerminalOnlyStartAndEndAreTold) {
  for (const LogKind kind : {LogKind::none, LogKind::automatic}) {
    RunMonitor one = watch(kind, false);
    RunOutline known = outline();
    known.output = "out";
    known.virial_ratio = 1.0625;
    one.started(known, particles());
    take_steps(one, 160, 0.0625, 1);
    for (const double change : {-0.001, 0.004, -0.002}) one.measured(change, -1);
    one.wrote(RunEvent::snapshot, "out/a.h5", 0);
    one.ended("finished", true);
    EXPECT_EQ(error.str(), "");
    EXPECT_EQ(out.str().empty(), kind == LogKind::none);
    time = 0;
    step = 0;
  }
  EXPECT_EQ(out.str(),
            "t 0 of 10, step 0, 1000 particles on abacus, virial ratio 1.06\n"
            "t 10 of 10, step 160, finished after 2 min 40 s, 1 steps/s, 500 pairs/s, "
            "dE/E -2.0e-03, shortest step 0.0625; largest dE/E 4.0e-03; results are in out\n"
            "for a smaller change of the energy: the moon; look away\n");
}

TEST_F(WatchTest, TextIsOneLineThatIsWrittenAnewTwiceASecond) {
  RunMonitor one = watch(LogKind::text, true);
  one.started(outline(), particles());
  one.measured(-0.001, -1);
  take_steps(one, 64, 0.0625, 0.25);
  EXPECT_EQ(std::ranges::count(error.str(), '\n'), 1);
  EXPECT_EQ(std::ranges::count(error.str(), '\r'), 1 + 32);
  const std::string last = error.str().substr(error.str().rfind('\r'));
  EXPECT_EQ(last,
            "\rt 4 of 10, step 64, ETA 24 s, 4 steps/s, 2 k pairs/s, dE/E -1.0e-03, shortest step "
            "0.0625\033[K");
  take_steps(one, 96, 0.0625, 0.25);
  one.ended("finished", true);
  std::string end = error.str();
  const std::string advice = end.substr(end.rfind('\r'));
  EXPECT_EQ(advice, "\rfor a smaller change of the energy: the moon; look away\033[K\n");
  end.resize(end.rfind('\r'));
  EXPECT_EQ(end.substr(end.rfind('\r')),
            "\rt 10 of 10, step 160, finished after 40 s, 4 steps/s, 2 k pairs/s, dE/E -1.0e-03, "
            "shortest step 0.0625; largest dE/E -1.0e-03\033[K\n");
}

TEST_F(WatchTest, TextFitsTheTerminal) {
  columns = 30;
  RunMonitor one = watch(LogKind::text, true);
  one.started(outline(), particles());
  error.str("");
  take_steps(one, 1, 0.0625, 1);
  EXPECT_EQ(error.str().size(), std::size_t(columns - 1) + std::string("\r\033[K").size());
}

TEST_F(WatchTest, TextHasLinesOfItsOwnElsewhere) {
  RunMonitor one = watch(LogKind::text);
  one.started(outline(100, 100), particles());
  take_steps(one, 100, 1, 1);
  one.ended("finished", true);
  ASSERT_EQ(lines(error).size(), 12U);
  EXPECT_EQ(lines(error)[1],
            "t 10 of 100, step 10 of 100, ETA 1 min 30 s, 1 steps/s, 500 pairs/s, dE/E ?, "
            "shortest step 0.0625");
  EXPECT_EQ(error.str().find_first_of("\r\033"), std::string::npos);
}

TEST_F(WatchTest, JsonIsOneObjectPerLine) {
  RunMonitor one = watch(LogKind::json);
  wall += 2;
  one.started(outline(), particles());
  one.measured(0, -1);
  take_steps(one, 2, 0.0625, 1);
  one.measured(-0.25, -1);
  one.wrote(RunEvent::snapshot, "folder/snapshot_000.h5", 0.0625);
  one.wrote(RunEvent::checkpoint, "folder/check \"point\".h5", 0.125);
  take_steps(one, 158, 0.0625, 0.125);
  one.ended("finished", true);
  const std::vector<std::string> all = lines(out);
  EXPECT_EQ(parsed(all[0]),
            parsed(R"({"event": "start", "time": 0, "step": 0, "wall_s": 2, "end_time": 10, )"
                   R"("last_step": null, "particles": 1000, "device": "abacus", "threads": 3, )"
                   R"("virial_ratio": null, "force_error": null})"));
  EXPECT_EQ(
      parsed(all[1]),
      parsed(R"({"event": "progress", "time": 0.0625, "step": 1, "wall_s": 3, "end_time": 10, )"
             R"("last_step": null, "steps_per_s": 1, "interactions_per_s": 500, )"
             R"("energy_error": 0, "smallest_step": 0.0625, "eta_s": 159})"));
  EXPECT_EQ(parsed(all[3]),
            parsed(R"({"event": "snapshot", "time": 0.0625, "step": 2, "wall_s": 4, )"
                   R"("file": "folder/snapshot_000.h5"})"));
  EXPECT_EQ(parsed(all[4]),
            parsed(R"({"event": "checkpoint", "time": 0.125, "step": 2, "wall_s": 4, )"
                   R"("file": "folder/check \"point\".h5"})"));
  EXPECT_EQ(all.size(), 3U + 2U + 19U + 1U);
  EXPECT_EQ(parsed(all.back()),
            parsed(R"({"event": "end", "time": 10, "step": 160, "wall_s": 23.75, "end_time": 10, )"
                   R"("last_step": null, "steps_per_s": 8, "interactions_per_s": 4000, )"
                   R"("energy_error": -0.25, "smallest_step": 0.0625, "eta_s": 0, )"
                   R"("largest_energy_error": -0.25, "reason": "finished", )"
                   R"("advice": "for a smaller change of the energy: the moon; look away"})"));
  EXPECT_EQ(error.str(), "");
}

TEST_F(WatchTest, JsonHasNullForWhatIsNotKnown) {
  levels = {{0.0625, 1000}, {4, 1000000}};
  RunMonitor one = watch(LogKind::json);
  one.started(outline(std::numeric_limits<double>::infinity(), 10), particles());
  take_steps(one, 1, 0.0625, 1);
  EXPECT_EQ(
      parsed(lines(out).back()),
      parsed(R"({"event": "progress", "time": 0.0625, "step": 1, "wall_s": 1, "end_time": null, )"
             R"("last_step": 10, "steps_per_s": 1, "interactions_per_s": 500, )"
             R"("energy_error": null, "smallest_step": 0.0625, "eta_s": null})"));
}

TEST_F(WatchTest, WarningsGoToStandardErrorWhoeverIsTold) {
  for (const LogKind kind : {LogKind::text, LogKind::json, LogKind::none}) {
    error.str("");
    out.str("");
    RunMonitor one = watch(kind, true);
    one.started(outline(), particles());
    take_steps(one, 1, 0.0625, 1);
    error.str("");
    one.warned("the sky falls");
    const std::string begin = kind == LogKind::text ? "\r\033[K" : "";  // clears the progress
    EXPECT_EQ(error.str(), begin + "gothic: warning: the sky falls\n");
    EXPECT_EQ(out.str().find(R"("event":"warning")") != std::string::npos, kind == LogKind::json);
  }
}

TEST_F(WatchTest, TextTellsTheTimeOfEverySnapshot) {
  RunMonitor one = watch(LogKind::text);
  one.started(outline(), particles());
  error.str("");
  one.wrote(RunEvent::snapshot, "out/snapshot_000.h5", 0.25);
  EXPECT_EQ(error.str(), "out/snapshot_000.h5 is of t 0.25\n");
}

TEST_F(WatchTest, EnergyBeyondItsBoundIsToldOnceWithItsCause) {
  for (const double sign : {1.0, -1.0}) {
    error.str("");
    out.str("");
    RunOutline bounded = outline();
    bounded.energy_bound = 0.005;
    RunMonitor one = watch(LogKind::json);
    one.started(bounded, particles());
    for (const double harmless : {0.0, 0.005, std::nan("")}) one.measured(sign * harmless, -1);
    EXPECT_EQ(error.str(), "");
    for (const double error_now : {0.0123, 0.5}) one.measured(sign * error_now, -1);
    ASSERT_EQ(lines(error).size(), 1U);
    EXPECT_EQ(error.str(),
              std::string("gothic: warning: the energy has changed by ") +
                  (sign > 0 ? "0.012" : "-0.012") +
                  " of its value at the start, more than the energy bound of 0.005: the "
                  "moon; look away\n");
    EXPECT_EQ(parsed(lines(out).back())["event"], "warning");
  }
  error.str("");
  RunOutline bounded = outline();
  bounded.energy_bound = 0.005;
  RunMonitor close = watch(LogKind::none);
  close.started(bounded, particles());
  close.measured(0.0050004, -1);
  EXPECT_NE(error.str().find("changed by 0.0050004 of"), std::string::npos) << error.str();
  RunMonitor unbounded = watch(LogKind::none);
  unbounded.started(outline(), particles());
  error.str("");
  unbounded.measured(3, -1);
  EXPECT_EQ(error.str(), "");
}

TEST_F(WatchTest, StepsThatAreCutAtTheEndAreNotTold) {
  RunMonitor one = watch(LogKind::text);
  one.started(outline(), particles());
  take_steps(one, 2, 5, 1);
  levels.clear();
  one.ended("finished", true);
  EXPECT_NE(error.str().find("shortest step 0.0625;"), std::string::npos);
}

/// The warnings of a watch.
class StuckRun : public WatchTest {
 protected:
  void expect_one_warning(const std::string& begin) {
    ASSERT_EQ(lines(error).size(), 1U) << error.str();
    EXPECT_EQ(error.str(), "gothic: warning: " + begin +
                               ": particle 17; use a larger --softening or a larger --eta, and "
                               "check the input for heavy particles in one place\n");
  }
};

TEST_F(StuckRun, ShortestCountableStepIsToldOnce) {
  levels = {{0.5, 1}, {1, 1000}};
  for (const double least : {0.75, 0.25}) {
    wanted = least;  // 0.75 is short only because of its place in time: nothing is wrong
    RunMonitor one = watch(LogKind::none);
    one.started(outline(), particles(0.5));
    take_steps(one, 10, 0.5, 1);
    EXPECT_EQ(error.str().empty(), least > 0.5);
  }
  expect_one_warning("a particle wants a step below 0.5, the shortest that this run can count");
}

TEST_F(StuckRun, ManyStepsAreTold) {
  RunMonitor one = watch(LogKind::none);
  one.started(outline(), particles());
  take_steps(one, 63, 5e-6, 0.01);
  EXPECT_EQ(error.str(), "");
  take_steps(one, 100, 5e-6, 0.01);
  EXPECT_TRUE(error.str().starts_with("gothic: warning: 2e+06 steps remain: particle 17; "))
      << error.str();
}

TEST_F(StuckRun, WeeksAreTold) {
  levels = {{0.0001, 1000}};
  RunMonitor one = watch(LogKind::none);
  one.started(outline(), particles());
  take_steps(one, 100, 0.0001, 20);
  expect_one_warning("1e+05 steps remain, 23 d 03 h at this pace");
}

TEST_F(StuckRun, UsualRunsAreNotWarnedOf) {
  RunMonitor one = watch(LogKind::none);
  one.started(outline(), particles());
  take_steps(one, 100, 1.1e-5, 0.1);
  RunMonitor counted = watch(LogKind::none);
  counted.started(outline(std::numeric_limits<double>::infinity(), 100), particles());
  take_steps(counted, 100, 1e-12, 1);
  EXPECT_EQ(error.str(), "");
}

TEST_F(StuckRun, TimeThatStandsIsToldToPeopleAndPrograms) {
  RunMonitor one = watch(LogKind::json);
  RunOutline late = outline(std::numeric_limits<double>::infinity(), 100);
  late.time = 1e16;
  one.started(late, particles());
  expect_one_warning("the steps are so short that the time, 1e+16, no longer advances");
  EXPECT_EQ(std::ranges::count_if(
                lines(out),
                [](const std::string& line) { return line.find("warning") != std::string::npos; }),
            1);
}

TEST_F(WatchTest, ParticlesFarFromEquilibriumAreTold) {
  for (const double ratio : {0.3, 1.0, 3.5, std::nan("")}) {
    EXPECT_EQ(virial_warning(ratio, 1000), "") << ratio;
  }
  EXPECT_EQ(virial_warning(1e-5, 99), "");
  EXPECT_NE(virial_warning(10, 1000).find("fly apart"), std::string::npos);
  for (const bool is_isolated : {true, false}) {
    error.str("");
    RunOutline cold = outline();
    cold.virial_ratio = 1.234e-5;
    cold.is_isolated = is_isolated;
    RunMonitor one = watch(LogKind::none);
    one.started(cold, particles());
    EXPECT_EQ(error.str(),
              is_isolated ? "gothic: warning: " + virial_warning(1.234e-5, 1000) + "\n" : "");
    EXPECT_EQ(error.str().find("the virial ratio is 1.2e-05 at the start") != std::string::npos,
              is_isolated);
  }
}

}  // namespace
}  // namespace gothic
