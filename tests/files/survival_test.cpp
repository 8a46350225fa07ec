#include "files/survival.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace gothic::files {
namespace {

TEST(Survival, IsOfWorkThatEnds) {
  EXPECT_TRUE(survives(5, [] {}));
  EXPECT_TRUE(survives(5, [] { throw std::runtime_error("refused"); }));
}

TEST(Survival, IsNotOfWorkThatCrashesOrNeverEnds) {
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) {
    EXPECT_FALSE(survives(5, [=] { ::raise(number); })) << number;
  }
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

/// A lock that the two share would outlive a program that was killed.
TEST(Survival, EndsWithWhoAsksForIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    survives(5, [&] {
      const char byte = 0;
      if (::write(ends[1], &byte, 1) == 1) ::pause();
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  char byte = 1;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  pollfd closed{ends[0], 0, 0};
  ASSERT_EQ(::poll(&closed, 1, 10000), 1) << "the work goes on";
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

}  // namespace
}  // namespace gothic::files
