#include "files/crash_guard.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gothic::files {
namespace {

using testing::ExitedWithCode;

TEST(CrashGuardDeathTest, NamesTheFileAndTheRemedy) {
  for (const int signal : {SIGABRT, SIGXCPU}) {
    EXPECT_EXIT(
        {
          const CrashGuard guard("damaged.h5", 5);
          std::raise(signal);
        },
        ExitedWithCode(2), "damaged.h5: input: is damaged.*; write or copy it again");
  }
}

TEST(CrashGuardDeathTest, TellsItEvenIfTheStackIsOverwritten) {
  EXPECT_EXIT(
      {
        alignas(CrashGuard) std::byte memory[sizeof(CrashGuard)];
        new (memory) CrashGuard("damaged.h5", 5);
        std::memset(memory, 0x7f, sizeof memory);
        std::abort();
      },
      ExitedWithCode(2), "damaged.h5: input: is damaged");
}

TEST(CrashGuardDeathTest, BlamesTheFileThatIsReadNow) {
  EXPECT_EXIT(
      {
        const CrashGuard outer("outer.h5", 5);
        { const CrashGuard inner("inner.h5", 5); }
        std::abort();
      },
      ExitedWithCode(2), "outer.h5: input");
}

}  // namespace
}  // namespace gothic::files
