#include <gtest/gtest.h>

#include <vector>

#include "core/device/cuda/device.cuh"
#include "parallel/gpu_messages.hpp"
#include "tests/core/device/devices.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

/// Messages from GPU to GPU. The ranks are threads here, one for each GPU of the machine; each
/// sends to itself, too, so that one GPU will do.
namespace gothic {
namespace {

using namespace test;
using Values = std::vector<std::uint32_t>;

/// The values that a rank sends to another. Every message has another length.
Values message(int from, int to, std::uint32_t length) {
  Values values = numbers(length + std::uint32_t(8 * from + to));
  for (std::uint32_t& value : values) value = value * 2654435761U + std::uint32_t(8 * from + to);
  return values;
}

TEST(GpuMessages, ReachEveryRank) {
  on_ranks(cuda::Device::count(), [](Communicator& ranks) {
    const int own = ranks.rank();
    const auto messages = parallel::make_gpu_messages(ranks, own);
    ASSERT_NE(messages, nullptr);
    for (const std::uint32_t length : {1U, 1000U, 10'000'000U}) {
      std::vector<cuda::Device::Buffer<std::uint32_t>> leaving, coming;
      std::vector<Message> sent, received;
      const auto list = [](int rank, auto& buffer, std::vector<Message>& listed) {
        listed.push_back({rank, reinterpret_cast<std::byte*>(buffer.data()),
                          buffer.size() * sizeof(std::uint32_t)});
      };
      for (int other = 0; other < ranks.size(); ++other) {
        leaving.push_back(to_device<cuda::Device>(message(own, other, length)));
        coming.emplace_back(message(other, own, length).size());
        list(other, leaving.back(), sent);
        list(other, coming.back(), received);
      }
      messages->pass(sent, received);
      for (int other = 0; other < ranks.size(); ++other) {
        EXPECT_EQ(to_host(coming[std::size_t(other)]), message(other, own, length));
      }
    }
  });
}

TEST(GpuMessages, AreNotThereWhereARankHasNoGpu) {
  on_ranks(2, [](Communicator& ranks) {
    EXPECT_EQ(parallel::make_gpu_messages(ranks, ranks.rank() == 0 ? 0 : -1), nullptr);
  });
}

TEST(GpuMessages, AreNotThereWhereRanksShareAGpu) {
  on_ranks(2,
           [](Communicator& ranks) { EXPECT_EQ(parallel::make_gpu_messages(ranks, 0), nullptr); });
}

}  // namespace
}  // namespace gothic
