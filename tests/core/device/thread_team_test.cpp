#include "core/device/cpu/thread_team.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <stdexcept>
#include <vector>

namespace gothic::cpu {
namespace {

/// Whether a loop calls its function once for every task.
bool each_task_is_done_once(ThreadTeam& team, std::size_t tasks) {
  std::vector<std::atomic<int>> calls(tasks);
  team.for_each(tasks, [&](std::size_t task) { ++calls[task]; });
  for (const std::atomic<int>& count : calls) {
    if (count != 1) return false;
  }
  return true;
}

class ThreadTeamOf : public testing::TestWithParam<int> {};

TEST_P(ThreadTeamOf, DoesEachTaskOnceInLoopAfterLoop) {
  ThreadTeam team(GetParam());
  for (int loop = 0; loop < 2000; ++loop) {
    ASSERT_TRUE(each_task_is_done_once(team, std::size_t(loop % 50))) << loop;
  }
}

TEST_P(ThreadTeamOf, ThrowsWhatATaskThrowsAndGoesOn) {
  ThreadTeam team(GetParam());
  const auto fail = [](std::size_t task) {
    if (task == 37) throw std::runtime_error("task 37");
  };
  EXPECT_THROW(team.for_each(100, fail), std::runtime_error);
  EXPECT_TRUE(each_task_is_done_once(team, 100));
}

TEST_P(ThreadTeamOf, WaitsAsleep) {
  ThreadTeam team(GetParam());
  team.for_each(100, [](std::size_t) {});
  const std::clock_t before = std::clock();  // of the processor
  usleep(300000);
  EXPECT_LT(double(std::clock() - before) / CLOCKS_PER_SEC, 0.1);
}

INSTANTIATE_TEST_SUITE_P(ThreadTeam, ThreadTeamOf, testing::Values(1, 2, 7));

/// A forked process has none of the threads that its parent had beside the calling one.
TEST(ThreadTeam, NeedsNoThreadThatDoesNotCome) {
  ThreadTeam team(3);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(each_task_is_done_once(team, 1000) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace gothic::cpu
