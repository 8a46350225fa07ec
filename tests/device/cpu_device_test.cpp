#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "device/cpu/device.hpp"

namespace gothic::cpu {
namespace {

/// Has task 37 of `tasks` fail.
void fail(const Device& device, std::size_t tasks) {
  device.for_each_warp(
      tasks, [](Warp&) { return 0; },
      [](Warp&, int, std::size_t task) {
        if (task == 37) throw std::runtime_error("task 37");
      });
}

TEST(CpuDevice, PassesOnWhatATaskThrows) {
  for (const int threads : {1, 2, 3}) {
    const Device device(threads);
    try {
      fail(device, 1000);
      ADD_FAILURE() << "nothing thrown with " << threads << " threads";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::string("task 37"));
    }
    EXPECT_NO_THROW(fail(device, 37));
  }
}

TEST(CpuDevice, PassesOnWhatMakingTheScratchThrows) {
  for (const int threads : {1, 2, 3}) {
    const auto make = [](Warp&) -> int { throw std::bad_alloc(); };
    EXPECT_THROW(Device(threads).for_each_warp(10, make, [](Warp&, int, std::size_t) {}),
                 std::bad_alloc);
  }
}

TEST(CpuDevice, HasTheThreadsItWasGiven) {
  for (const int threads : {1, 2, 3}) EXPECT_EQ(Device(threads).threads(), threads);
  EXPECT_EQ(Device().threads(), omp_get_num_procs());
}

TEST(CpuDevice, SharesTasksAmongItsThreads) {
  std::atomic<int> warps = 0;
  std::atomic<bool> both = false;
  Device(2).for_each_warp(
      2, [&](Warp&) { return ++warps; },
      [&](Warp&, int, std::size_t) {
        // Whoever comes first waits for the other, which only another thread can be.
        const auto start = std::chrono::steady_clock::now();
        while (warps < 2 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
        }
        both = warps == 2;
      });
  EXPECT_TRUE(both);
}

}  // namespace
}  // namespace gothic::cpu
