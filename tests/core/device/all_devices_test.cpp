#include "core/device/all_devices.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "core/setting_error.hpp"

/// Names of devices, and the devices that they mean.
namespace gothic {
namespace {

std::string refusal(const std::string& name) {
  try {
    find_device(name);
    return "";
  } catch (const SettingError& error) {
    return error.what();
  }
}

TEST(AllDevices, OtherNamesThanThoseOfTheListAreRefused) {
  for (const char* name : {"", "cp", "cpu:0", "cudas", "cuda:", "cuda:-1", "cuda:1x", "cuda 1"}) {
    EXPECT_NE(refusal(name).find("use auto, cpu, cuda or cuda:N"), std::string::npos) << name;
  }
}

TEST(AllDevices, TheHostIsAlwaysThere) {
  EXPECT_TRUE(find_device("cpu").is_host);
  EXPECT_TRUE(means_host("cpu"));
  EXPECT_FALSE(means_host("cuda"));
  EXPECT_EQ(refusal("auto"), "");
  const bool is_cpu = with_device(
      {.name = "cpu"}, []<class Device>(int) { return std::is_same_v<Device, cpu::Device>; });
  EXPECT_TRUE(is_cpu);
}

TEST(AllDevices, AMissingDeviceIsNamedWithTheRemedy) {
  const std::string problem = refusal("cuda:1000");
  EXPECT_TRUE(problem.starts_with("device cuda:1000: GPU 1000 ")) << problem;
  EXPECT_TRUE(problem.ends_with("; use device cpu")) << problem;
}

TEST(AllDevices, RanksTakeTurnsWhereNoNumberIsAskedFor) {
  EXPECT_EQ(device_in_turn("cpu", 5), "cpu");
  EXPECT_EQ(device_in_turn("cuda:3", 5), "cuda:3");
  if (refusal("cuda").empty()) {
    EXPECT_EQ(device_in_turn("cuda", 0), "cuda:0");
    EXPECT_EQ(device_in_turn("auto", 0), "cuda:0");
  } else if (means_host("auto")) {
    EXPECT_EQ(device_in_turn("cuda", 5), "cuda");
    EXPECT_EQ(device_in_turn("auto", 5), "auto");
  }
}

}  // namespace
}  // namespace gothic
