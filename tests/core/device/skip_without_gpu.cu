#include <gtest/gtest.h>

#include <cstdio>

#include "core/device/cuda/gpu.cuh"

namespace gothic::test {
namespace {

/// Skips every test of the program where there is no GPU to run it.
class SkipWithoutGpu : public ::testing::Environment {
 public:
  void SetUp() override {
    const std::string problem = cuda::problem_with(0);
    if (problem.empty()) return;
    // By this line ctest knows; GoogleTest says it for single tests only.
    std::printf("[  SKIPPED ] all tests: GPU 0 %s\n", problem.c_str());
    GTEST_SKIP();
  }
};

[[maybe_unused]] const auto* const environment =
    ::testing::AddGlobalTestEnvironment(new SkipWithoutGpu);

}  // namespace
}  // namespace gothic::test
