#include "run/run_logs.hpp"

#include <cmath>

#include "files/checkpoint.hpp"
#include "files/input_file.hpp"
#include "run/observers.hpp"
#include "tests/files/fixtures.hpp"

namespace gothic {
namespace {

/// Observers of steps and of states that only this test has.
std::vector<Observer> some_observers() {
  return {{"steps", "a row for each step", Schedule::every_step, {{"step", "", "number", true}}},
          {"bar",
           "a row for each component",
           Schedule::states,
           {{"step", "", "number", true},
            {"component", "", "row of /Components", true},
            {"strength", "", "A2", false}}}};
}

class RunLogsIn : public files::FolderTest {
 protected:
  RunLogs logs(const std::string& part, const std::filesystem::path& checkpoint = {}) {
    std::filesystem::create_directories(file(part));
    files::Snapshot snapshot = files::example_snapshot(2);
    snapshot.components = {{.name = "halo"}, {.name = "bar"}};
    return {file(part), some_observers(), snapshot, files::example_provenance(), checkpoint};
  }

  files::InputFile log(const std::string& name) const { return files::InputFile(file(name)); }
};

TEST_F(RunLogsIn, EachObserverHasAFileWithItsColumns) {
  RunLogs logs = this->logs("a");
  logs.append("steps", {{std::int64_t(1)}});
  logs.append("bar",
              {{std::int64_t(1), std::int64_t(0), 0.25}, {std::int64_t(1), std::int64_t(1), 0.5}});
  EXPECT_EQ(logs.steps(), 1U);
  logs.finish({{"wall", 2.0}});
  EXPECT_EQ(log("a/steps.h5").all<std::int64_t>("/Steps/step"), std::vector<std::int64_t>{1});
  EXPECT_EQ(log("a/bar.h5").all<double>("/Bar/strength"), (std::vector<double>{0.25, 0.5}));
  const std::string bar = content("a/bar.h5"), steps = content("a/steps.h5");
  EXPECT_NE(bar.find("ComponentNames"), std::string::npos);
  EXPECT_EQ(steps.find("ComponentNames"), std::string::npos);
  EXPECT_NE(steps.find("Timing"), std::string::npos);
}

TEST_F(RunLogsIn, RowsContinueFromACheckpoint) {
  {
    RunLogs first = logs("a");
    first.append("steps", {{std::int64_t(1)}});
    first.append("bar", {{std::int64_t(0), std::int64_t(0), 0.125},
                         {std::int64_t(1), std::int64_t(0), 0.25}});
    files::write_checkpoint(
        file("a"),
        {.snapshot = files::example_snapshot(0), .state = {}, .progress = {}, .options = {}},
        files::example_provenance(), first.tables());
    first.append(
        "bar", {{std::int64_t(2), std::int64_t(0), -1.0}});  // after the checkpoint, so it is lost
  }
  RunLogs second = logs("b", files::checkpoint_path(file("a")));
  EXPECT_EQ(second.steps(), 1U);
  second.append("bar", {{std::int64_t(2), std::int64_t(0), 0.5}});
  second.finish({});
  EXPECT_EQ(log("b/bar.h5").all<std::int64_t>("/Bar/step"), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(log("b/bar.h5").all<double>("/Bar/strength"), (std::vector<double>{0.125, 0.25, 0.5}));
}

}  // namespace
}  // namespace gothic
