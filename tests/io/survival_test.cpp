#include "io/survival.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace gothic::io {
namespace {

TEST(Survival, IsOfWorkThatEnds) {
  EXPECT_TRUE(survives(5, [] {}));
  EXPECT_TRUE(survives(5, [] { throw std::runtime_error("refused"); }));
}

TEST(Survival, IsNotOfWorkThatCrashesOrNeverEnds) {
  EXPECT_FALSE(survives(5, [] { ::raise(SIGSEGV); }));
  EXPECT_FALSE(survives(1, [] {
    for (volatile bool forever = true; forever;) continue;
  }));
}

/// Who stops all processes of a terminal or of a job must not make a file look damaged.
TEST(Survival, DoesNotDependOnSignalsToAllProcesses) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    bool survived = true;
    for (const int number : {SIGINT, SIGTERM, SIGUSR1}) {
      std::signal(number, [](int) {});
      survived = survived && survives(5, [number] { ::kill(0, number); });
    }
    ::_exit(survived ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace gothic::io
