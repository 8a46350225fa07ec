#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "core/device/cpu/device.hpp"

namespace gothic::cpu {
namespace {

struct TooLarge {
  TooLarge() { throw std::bad_alloc(); }
};

TEST(CpuDevice, PassesOnWhatMakingTheScratchThrows) {
  for (const int threads : {1, 2, 3}) {
    EXPECT_THROW(
        Device({.threads = threads}).for_each_warp<TooLarge>(10, [](TooLarge&, std::size_t) {}),
        std::bad_alloc);
  }
}

struct Tally {
  std::uint32_t tasks[100];
};

TEST(CpuDevice, BeginsWithScratchOfZeros) {
  for (const int threads : {1, 2, 3}) {
    std::atomic<std::uint32_t> wrong = 0;
    Device({.threads = threads}).for_each_warp<Tally>(1000, [&](Tally& own, std::size_t task) {
      const std::uint32_t before = own.tasks[0];
      if (before >= 1000 || (threads == 1 && before != task)) ++wrong;
      for (std::uint32_t& count : own.tasks) {
        if (count++ != before) ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0U);
  }
}

TEST(CpuDevice, HasTheThreadsItWasGiven) {
  for (const int threads : {1, 2, 3}) {
    EXPECT_EQ(Device({.threads = threads}).threads(), threads);
    EXPECT_EQ(Device({.threads = threads}).warps(), std::size_t(threads));
  }
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(Device().threads(), host_threads());
  EXPECT_LE(host_threads(), int(std::thread::hardware_concurrency()));
  ::setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_EQ(Device().threads(), 3);
  for (const char* none : {"", "0", "-2", "many"}) {
    ::setenv("OMP_NUM_THREADS", none, 1);
    EXPECT_LE(host_threads(), int(std::thread::hardware_concurrency()));
  }
  ::unsetenv("OMP_NUM_THREADS");
}

/// Counts the warps that have one.
struct Counted {
  Counted() { ++warps; }
  static inline std::atomic<int> warps = 0;
};

TEST(CpuDevice, SharesTasksAmongItsThreads) {
  std::atomic<bool> both = false;
  Counted::warps = 0;
  Device({.threads = 2}).for_each_warp<Counted>(2, [&](Counted&, std::size_t) {
    // Whoever comes first waits for the other, which only another thread can be.
    const auto start = std::chrono::steady_clock::now();
    const auto waited = [&] { return std::chrono::steady_clock::now() - start; };
    while (Counted::warps < 2 && waited() < std::chrono::seconds(20)) {
    }
    both = Counted::warps == 2;
  });
  EXPECT_TRUE(both);
}

}  // namespace
}  // namespace gothic::cpu
