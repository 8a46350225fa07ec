#include <gtest/gtest.h>

#include <cstdio>

#include "core/device/own_device.hpp"

namespace gothic::test {
namespace {

/// Skips every test of the program where its device is missing.
class SkipWithoutDevice : public ::testing::Environment {
 public:
  void SetUp() override {
    const std::string problem = OwnDevice::problem_with(0);
    if (problem.empty()) return;
    // By this line ctest knows; GoogleTest says it for single tests only.
    std::printf("[  SKIPPED ] all tests: GPU 0 %s\n", problem.c_str());
    GTEST_SKIP();
  }
};

[[maybe_unused]] const auto* const environment =
    ::testing::AddGlobalTestEnvironment(new SkipWithoutDevice);

}  // namespace
}  // namespace gothic::test
