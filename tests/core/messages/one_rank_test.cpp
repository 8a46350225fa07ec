#include "core/messages/one_rank.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "core/device/cpu/device.hpp"
#include "core/messages/exchange.hpp"

namespace gothic {
namespace {

TEST(OneRank, HearsItself) {
  const std::vector<int> own{3, 1, 2};
  EXPECT_EQ(gathered(one_rank(), 7), std::vector{7});
  EXPECT_EQ(gathered(one_rank(), std::span<const int>(own)), own);
  EXPECT_EQ(told(one_rank(), std::vector{5}), std::vector{5});
  EXPECT_EQ(combined(one_rank(), 7, std::plus<>()), 7);
  EXPECT_EQ(joined(one_rank(), own), own);
  EXPECT_EQ(sent_to_owners(one_rank(), own, [](int) { return std::size_t(0); }), own);
  EXPECT_TRUE(leads(one_rank()));
}

TEST(OneRank, KeepsItsPartOfAnArray) {
  const cpu::Device device({.threads = 1});
  cpu::Device::Buffer<int> from(3), to;
  from.upload(std::vector{3, 1, 2});
  const std::vector<std::size_t> lengths{3};
  exchange(device, one_rank(), from, lengths, to, lengths);
  EXPECT_EQ(to.downloaded(), from.downloaded());
}

// The thread sanitizer looks on.
TEST(OneRank, ServesSeveralThreadsAtOnce) {
  std::vector<int> heard(8);
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < int(heard.size()); ++k) {
      threads.emplace_back([&heard, k] {
        for (int i = 0; i <= k; ++i) heard[std::size_t(k)] = gathered(one_rank(), i).front();
      });
    }
  }
  for (int k = 0; k < int(heard.size()); ++k) EXPECT_EQ(heard[std::size_t(k)], k);
  EXPECT_EQ(one_rank().seconds(), 0);
}

}  // namespace
}  // namespace gothic
