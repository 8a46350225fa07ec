#include "ic/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>

namespace gothic::ic {
namespace {

TEST(Progress, TellsThePercentageAfterAWhileAndClearsItsLine) {
  std::ostringstream out;
  {
    Progress progress(out, "drawing", 10);
    progress.add(5);
    EXPECT_EQ(out.str(), "");
    std::this_thread::sleep_for(std::chrono::milliseconds(510));
    progress.add(2);
    EXPECT_EQ(out.str(), "\rdrawing: 70 %");
  }
  EXPECT_EQ(out.str(), "\rdrawing: 70 %\r" + std::string(13, ' ') + "\r");
}

}  // namespace
}  // namespace gothic::ic
